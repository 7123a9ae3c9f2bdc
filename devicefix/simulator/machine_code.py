"""Little functions in machine code, for torch's C++ to call.

The device guard and the hooks are asked from any thread, with and without the interpreter's lock,
and while a C++ exception is on its way. A callback into Python would be slow, could deadlock, and
would swallow that exception; so these functions answer without Python. They follow the System V
calling convention of x86-64: the object comes in ``rdi``, arguments in ``rsi`` and ``rdx``; small
results leave in ``rax`` and ``rdx``.

A `c10::Device` is two bytes: its type, then its index (c10/core/Device.h). A `c10::Stream` is a
device and a 64-bit number (c10/core/Stream.h).
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable
from typing import Any

from devicefix.simulator.errors import Refused
from devicefix.simulator.layout import Layout

_PAGE = mmap.PAGESIZE


class CurrentDevice:
    """The index of the current device, one for each thread, as CUDA has it.

    It lies in a thread-specific slot of the C library, where both Python and machine code get at
    it. A new thread finds 0, which is CUDA's own beginning.
    """

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None)
        key = ctypes.c_uint()
        if self._library.pthread_key_create(ctypes.byref(key), None):
            raise Refused("this process has no thread-specific slot left")
        self.key = key.value
        self._get = ctypes.PyDLL(None).pthread_getspecific
        self._set = ctypes.PyDLL(None).pthread_setspecific
        self._get.restype = ctypes.c_void_p
        self._get.argtypes = [ctypes.c_uint]
        self._set.argtypes = [ctypes.c_uint, ctypes.c_void_p]

    def get(self) -> int:
        """The index of this thread's device."""
        return self._get(self.key) or 0

    def set(self, index: int) -> None:
        """Make ``index`` this thread's device."""
        self._set(self.key, index)

    def addresses(self) -> tuple[int, int]:
        """Where `pthread_getspecific` and `pthread_setspecific` are."""
        return _address(self._get), _address(self._set)


class MachineCode:
    """A page of executable functions; each method writes one and returns its address."""

    def __init__(self) -> None:
        try:
            protection = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
            self._page = mmap.mmap(-1, _PAGE, prot=protection)
        except OSError as error:
            raise Refused(f"this system forbids executable memory: {error.strerror}") from error
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._page))  # C++ calls it to the very end
        self._start = ctypes.addressof(ctypes.c_char.from_buffer(self._page))

    def constant(self, value: int) -> int:
        """A function of any arguments that returns ``value``, up to 32 bits; 0.0 if asked for a
        double.
        """
        # xorps xmm0, xmm0; mov eax, value; ret
        return self._write(b"\x0f\x57\xc0" + b"\xb8" + value.to_bytes(4, "little") + b"\xc3")

    def default_stream(self) -> int:
        """``Stream f(this, Device)``: the default stream of that device. A `Stream` given comes
        back.
        """
        # movzx eax, si; xor edx, edx; ret
        return self._write(b"\x0f\xb7\xc6" + b"\x31\xd2" + b"\xc3")

    def index(self, current: CurrentDevice) -> int:
        """``DeviceIndex f(this)``: the current device's index."""
        return self._write(self._enter() + self._load(current) + self._leave())

    def device(self, current: CurrentDevice, kind: int) -> int:
        """``Device f(this)``: the current device."""
        return self._write(self._enter() + self._load(current) + self._pack(kind) + self._leave())

    def exchange_device(self, current: CurrentDevice, kind: int) -> int:
        """``Device f(this, Device)``: make it current, return the old one. Is `setDevice`, too."""
        _, store = current.addresses()
        return self._write(
            self._enter()
            + b"\x89\xf3"  # mov ebx, esi
            + self._load(current)
            + b"\x89\xc5"  # mov ebp, eax
            + b"\xbf" + current.key.to_bytes(4, "little")  # mov edi, key
            + b"\x0f\xb6\xf7"  # movzx esi, bh
            + b"\x48\xb8" + store.to_bytes(8, "little")  # mov rax, pthread_setspecific
            + b"\xff\xd0"  # call rax
            + b"\x89\xe8"  # mov eax, ebp
            + self._pack(kind)
            + self._leave()
        )  # fmt: skip

    def exchange_index(self, current: CurrentDevice) -> int:
        """``DeviceIndex f(this, DeviceIndex)``: make it current, return the old one."""
        _, store = current.addresses()
        return self._write(
            self._enter()
            + b"\x40\x0f\xb6\xde"  # movzx ebx, sil
            + self._load(current)
            + b"\x89\xc5"  # mov ebp, eax
            + b"\xbf" + current.key.to_bytes(4, "little")  # mov edi, key
            + b"\x89\xde"  # mov esi, ebx
            + b"\x48\xb8" + store.to_bytes(8, "little")  # mov rax, pthread_setspecific
            + b"\xff\xd0"  # call rax
            + b"\x89\xe8"  # mov eax, ebp
            + self._leave()
        )  # fmt: skip

    def relabel(self, layout: Layout, dense: int, flip: int, device: int) -> int:
        """``PyObject* f(self, tensor)``: flip its dispatch keys, make ``device`` its and its
        storage's.

        Returns the tensor; ``self`` for one that is not ``dense``, which stays as it is.
        """
        rest = (
            b"\x48\xba" + _unsigned(flip, 8)  # mov rdx, flip
            + b"\x48\x31\x90" + _unsigned(layout.keys, 4)  # xor [rax + keys], rdx
            + b"\x66\xc7\x80" + _unsigned(layout.device, 4) + _unsigned(device, 2)  # mov word
            + b"\x48\x8b\x80" + _unsigned(layout.storage, 4)  # mov rax, [rax + storage]
            + b"\x66\xc7\x80" + _unsigned(layout.storage_device, 4) + _unsigned(device, 2)
        )  # fmt: skip
        skip = (
            b"\xf7\x80" + _unsigned(layout.keys, 4) + _unsigned(dense, 4)  # test dword
            + b"\x74" + _unsigned(len(rest) + len(_RETURN_ARGUMENT), 1)  # jz to what returns self
        )  # fmt: skip
        return self._write(
            b"\x48\x8b\x86" + _unsigned(layout.implementation, 4)  # mov rax, [rsi + implementation]
            + b"\x66\x81\xb8" + _unsigned(layout.device, 4) + _unsigned(device, 2)  # cmp word
            + b"\x74" + _unsigned(len(skip) + len(rest), 1)  # je to what returns the tensor
            + skip + rest + _RETURN_ARGUMENT + _RETURN_SELF
        )  # fmt: skip

    def has_keys(self, layout: Layout, asked: int, wanted: int) -> int:
        """``PyObject* f(self, tensor)``: the tensor if of the keys ``asked`` it has exactly those
        ``wanted``, else ``self``.
        """
        return self._write(
            b"\x48\x8b\x86" + _unsigned(layout.implementation, 4)  # mov rax, [rsi + implementation]
            + b"\x48\x8b\x80" + _unsigned(layout.keys, 4)  # mov rax, [rax + keys]
            + b"\x48\xba" + _unsigned(asked, 8)  # mov rdx, asked
            + b"\x48\x21\xd0"  # and rax, rdx
            + b"\x48\x3d" + _unsigned(wanted, 4)  # cmp rax, wanted
            + b"\x75" + _unsigned(len(_RETURN_ARGUMENT), 1)  # jne to what returns self
            + _RETURN_ARGUMENT + _RETURN_SELF
        )  # fmt: skip

    def write_behind_pointer(self, pointer: int, offset: int, value: int) -> int:
        """``PyObject* f(self, object)``: follow the object's field at ``pointer``, write the word
        ``value`` at ``offset`` there. Returns the object.
        """
        return self._write(
            b"\x48\x8b\x86" + _unsigned(pointer, 4)  # mov rax, [rsi + pointer]
            + b"\x48\xc7\x80" + _unsigned(offset, 4) + _unsigned(value, 4)  # mov qword [rax + ...]
            + _RETURN_ARGUMENT
        )  # fmt: skip

    def _enter(self) -> bytes:
        # push rbx; push rbp; sub rsp, 8: the stack is aligned to 16 bytes at every call
        return b"\x53\x55\x48\x83\xec\x08"

    def _leave(self) -> bytes:
        return b"\x48\x83\xc4\x08\x5d\x5b\xc3"  # add rsp, 8; pop rbp; pop rbx; ret

    def _load(self, current: CurrentDevice) -> bytes:
        load, _ = current.addresses()
        # mov edi, key; mov rax, pthread_getspecific; call rax
        return (
            b"\xbf"
            + current.key.to_bytes(4, "little")
            + b"\x48\xb8"
            + load.to_bytes(8, "little")
            + b"\xff\xd0"
        )

    def _pack(self, kind: int) -> bytes:
        return b"\xc1\xe0\x08\x0d" + kind.to_bytes(4, "little")  # shl eax, 8; or eax, kind

    def _write(self, code: bytes) -> int:
        address = self._start + self._page.tell()
        self._page.write(code + b"\xcc" * (-len(code) % 16))  # int3 between functions
        return address


_RETURN_ARGUMENT = (
    b"\xff\x06\x48\x89\xf0\xc3"  # inc dword [rsi] (its references); mov rax, rsi; ret
)
_RETURN_SELF = b"\xff\x07\x48\x89\xf8\xc3"  # inc dword [rdi]; mov rax, rdi; ret


def _unsigned(value: int, size: int) -> bytes:
    return (value & (1 << 8 * size) - 1).to_bytes(size, "little")


class PythonFunction:
    """Machine code that Python calls as a function of one argument, without a foreign call's cost.

    The code gets this object as ``self``, and the argument, as a C function of an extension module
    would. ``call`` holds on to this object, and so to the definition that CPython reads.
    """

    def __init__(self, name: str, address: int) -> None:
        self._definition = _MethodDefinition(name.encode(), address, _METH_O, None)
        make = ctypes.pythonapi.PyCFunction_NewEx
        make.restype = ctypes.py_object
        make.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
        definition = ctypes.addressof(self._definition)
        self.call: Callable[[Any], Any] = make(definition, self, None)


_METH_O = 8


class _MethodDefinition(ctypes.Structure):
    """``PyMethodDef`` (Include/methodobject.h)."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("documentation", ctypes.c_char_p),
    )


def _address(function: object) -> int:
    value = ctypes.cast(function, ctypes.c_void_p).value  # type: ignore[arg-type]
    assert value is not None
    return value
