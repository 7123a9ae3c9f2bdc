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

from devicefix.simulator.errors import Refused

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


def _address(function: object) -> int:
    value = ctypes.cast(function, ctypes.c_void_p).value  # type: ignore[arg-type]
    assert value is not None
    return value
