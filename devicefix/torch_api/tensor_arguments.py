"""Which arguments of torch's functions are tensors: a size or a dimension has no place to be at.

From the schemas of torch (`torch._C._jit_get_schemas_for_operator`) and the annotations of
`torch.nn.functional`; tests/torch_api/test_tensor_arguments.py holds the installed torch against
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from devicefix.torch_api.rows import words

_POSITIONS: Final[Mapping[tuple[int, ...], str]] = MappingProxyType(
    {
        (0,): """
        adaptive_avg_pool1d adaptive_max_pool1d affine_grid_generator all alpha_dropout
        alpha_dropout_ amax amin any argmax argmin argsort as_strided as_strided_ avg_pool1d
        broadcast_to cat celu celu_ channel_shuffle cholesky cholesky_inverse chunk clamp clamp_
        clip clip_ combinations concat concatenate constant_pad_nd count_nonzero cummax cummin
        cumprod cumsum diag diag_embed diagflat diagonal dropout dropout_ dsplit eig
        feature_alpha_dropout feature_alpha_dropout_ feature_dropout feature_dropout_ fft.fft
        fft.fft2 fft.fftn fft.fftshift fft.hfft fft.hfft2 fft.hfftn fft.ifft fft.ifft2 fft.ifftn
        fft.ifftshift fft.ihfft fft.ihfft2 fft.ihfftn fft.irfft fft.irfft2 fft.irfftn fft.rfft
        fft.rfft2 fft.rfftn flatten flip frobenius_norm hardshrink histc hsplit kthvalue
        linalg.cond linalg.eigh linalg.eigvalsh linalg.matrix_norm linalg.matrix_power
        linalg.norm linalg.qr linalg.svd linalg.tensorinv linalg.vector_norm log log_softmax
        logcumsumexp logit logit_ logsumexp matrix_power max_pool1d max_pool2d max_pool3d mean
        median mode moveaxis movedim multinomial mvlgamma nan_to_num nan_to_num_ nanmean
        nanmedian nansum narrow_copy nn.functional.adaptive_avg_pool1d
        nn.functional.adaptive_avg_pool2d nn.functional.adaptive_avg_pool3d
        nn.functional.affine_grid nn.functional.alpha_dropout nn.functional.avg_pool1d
        nn.functional.avg_pool2d nn.functional.avg_pool3d nn.functional.celu nn.functional.celu_
        nn.functional.channel_shuffle nn.functional.dropout nn.functional.dropout1d
        nn.functional.dropout2d nn.functional.dropout3d nn.functional.elu nn.functional.elu_
        nn.functional.feature_alpha_dropout nn.functional.fold nn.functional.glu
        nn.functional.gumbel_softmax nn.functional.hardshrink nn.functional.hardsigmoid
        nn.functional.hardswish nn.functional.hardtanh nn.functional.hardtanh_
        nn.functional.interpolate nn.functional.leaky_relu nn.functional.leaky_relu_
        nn.functional.local_response_norm nn.functional.log_softmax nn.functional.lp_pool1d
        nn.functional.lp_pool2d nn.functional.lp_pool3d nn.functional.mish nn.functional.one_hot
        nn.functional.pad nn.functional.pdist nn.functional.pixel_shuffle
        nn.functional.pixel_unshuffle nn.functional.relu nn.functional.relu6 nn.functional.rrelu
        nn.functional.rrelu_ nn.functional.selu nn.functional.silu nn.functional.softmax
        nn.functional.softmin nn.functional.softplus nn.functional.softshrink
        nn.functional.threshold nn.functional.threshold_ nn.functional.unfold norm nuclear_norm
        pca_lowrank pdist permute pinverse pixel_shuffle pixel_unshuffle poisson prod qr renorm
        reshape roll rot90 rrelu rrelu_ segment_reduce select softmax sort special.log_softmax
        special.logit special.logsumexp special.multigammaln special.softmax split
        split_with_sizes squeeze stack std std_mean sum svd swapaxes swapdims threshold
        threshold_ tile topk transpose tril triu unbind unflatten unravel_index unsafe_chunk
        unsafe_split unsafe_split_with_sizes unsqueeze vander var var_mean vsplit
    """,
        (0, 1): """
        add allclose as_strided_scatter bincount binomial bmm cdist cholesky_solve
        cosine_similarity cross diagonal_scatter dist embedding embedding_renorm_ grid_sampler
        grid_sampler_2d grid_sampler_3d hinge_embedding_loss isclose kl_div linalg.lstsq
        linalg.matrix_rank linalg.pinv linalg.tensorsolve lu_unpack max min mm nanquantile
        nn.functional.cosine_similarity nn.functional.embedding nn.functional.grid_sample
        nn.functional.hinge_embedding_loss nn.functional.kl_div nn.functional.max_unpool1d
        nn.functional.max_unpool2d nn.functional.max_unpool3d
        nn.functional.multilabel_margin_loss nn.functional.pairwise_distance
        nn.functional.poisson_nll_loss nn.functional.smooth_l1_loss
        nn.functional.soft_margin_loss pairwise_distance poisson_nll_loss quantile
        repeat_interleave rsub select_scatter slice_scatter sub subtract take_along_dim
        tensor_split tensordot triangular_solve
    """,
        (0, 1, 2): """
        addmm baddbmm conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d
        conv_transpose3d convolution cosine_embedding_loss fake_quantize_per_tensor_affine
        index_put index_put_ margin_ranking_loss nn.functional.binary_cross_entropy
        nn.functional.conv1d nn.functional.conv2d nn.functional.conv3d nn.functional.conv_tbc
        nn.functional.conv_transpose1d nn.functional.conv_transpose2d
        nn.functional.conv_transpose3d nn.functional.cosine_embedding_loss
        nn.functional.cross_entropy nn.functional.gaussian_nll_loss
        nn.functional.margin_ranking_loss nn.functional.multilabel_soft_margin_loss
        nn.functional.nll_loss nn.functional.triplet_margin_loss ormqr put triplet_margin_loss
    """,
        (0, 1, 2, 3): """
        binary_cross_entropy_with_logits ctc_loss gru lstm nn.functional.ctc_loss
        nn.functional.scaled_dot_product_attention rnn_relu rnn_tanh
    """,
        (0, 1, 2, 3, 4): """
        batch_norm instance_norm nn.functional.batch_norm nn.functional.instance_norm
    """,
        (0, 1, 2, 4, 8): """
        nn.functional.scaled_mm
    """,
        (0, 1, 2, 4, 8, 9): """
        nn.functional.scaled_grouped_mm
    """,
        (0, 1, 2, 5, 6, 7, 8, 11, 12, 14, 16, 18, 19, 20, 21, 22): """
        nn.functional.multi_head_attention_forward
    """,
        (0, 1, 2, 6): """
        embedding_bag nn.functional.binary_cross_entropy_with_logits
    """,
        (0, 1, 2, 8): """
        nn.functional.embedding_bag
    """,
        (0, 1, 3): """
        histogramdd
    """,
        (0, 1, 4): """
        nn.functional.huber_loss nn.functional.multi_margin_loss
    """,
        (0, 1, 5): """
        nn.functional.l1_loss nn.functional.mse_loss
    """,
        (0, 2): """
        gather index_select narrow nn.functional.rms_norm rms_norm
    """,
        (0, 2, 3): """
        group_norm index_add index_copy index_fill index_reduce layer_norm
        nn.functional.group_norm nn.functional.layer_norm scatter scatter_add scatter_reduce
    """,
        (0, 2, 3, 5): """
        lobpcg
    """,
        (0, 3): """
        svd_lowrank
    """,
        (0, 3, 4): """
        diff
    """,
        (0, 4): """
        istft nn.functional.normalize stft
    """,
    }
)
"""The positions of tensors in functions that take other things, too. ``clamp`` takes tensors as its
bounds, but hardly anybody gives any."""

TENSOR_POSITIONS: Final[Mapping[str, frozenset[int]]] = MappingProxyType(
    {
        f"torch.{name}": frozenset(positions)
        for positions, names in _POSITIONS.items()
        for name in words(names)
    }
)
"""By function; those that are missing may take tensors anywhere."""

_OPEN: Final[Mapping[tuple[int, ...], str]] = MappingProxyType(
    {
        (0,): """
        bucketize
    """,
        (0, 1): """
        bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor
        float_power isin pow remainder result_type special.chebyshev_polynomial_t
        special.chebyshev_polynomial_u special.chebyshev_polynomial_v
        special.chebyshev_polynomial_w special.hermite_polynomial_h
        special.hermite_polynomial_he special.laguerre_polynomial_l
        special.legendre_polynomial_p special.shifted_chebyshev_polynomial_t
        special.shifted_chebyshev_polynomial_u special.shifted_chebyshev_polynomial_v
        special.shifted_chebyshev_polynomial_w special.xlog1py special.xlogy special.zeta
        xlogy
    """,
        (0, 1, 2): """
        autograd.grad
    """,
        (0, 1, 4, 5): """
        autograd.backward
    """,
        (1,): """
        add bernoulli bincount clamp_max clamp_max_ clamp_min clamp_min_ copysign div divide
        eq fill fill_ floor_divide fmod ge greater greater_equal gt histogram index_put
        index_put_ le less less_equal linalg.matrix_rank linalg.pinv lt max min mul multiply
        nanquantile ne not_equal quantile repeat_interleave rsub searchsorted sub subtract
        tensor_split true_divide xlogy_
    """,
        (1, 2): """
        fake_quantize_per_tensor_affine native_group_norm where
    """,
        (1, 2, 3, 4): """
        batch_norm instance_norm native_batch_norm nn.functional.batch_norm
        nn.functional.instance_norm
    """,
        (1, 3): """
        histogramdd
    """,
        (2,): """
        autograd.gradgradcheck conv1d conv2d conv3d conv_transpose1d conv_transpose2d
        conv_transpose3d convolution lerp masked_fill narrow
        nn.functional.binary_cross_entropy nn.functional.conv1d nn.functional.conv2d
        nn.functional.conv3d nn.functional.conv_transpose1d nn.functional.conv_transpose2d
        nn.functional.conv_transpose3d nn.functional.cross_entropy nn.functional.linear
        nn.functional.multilabel_soft_margin_loss nn.functional.nll_loss
        nn.functional.rms_norm rms_norm
    """,
        (2, 3): """
        binary_cross_entropy_with_logits ctc_loss group_norm layer_norm native_layer_norm
        nn.functional.group_norm nn.functional.layer_norm
    """,
        (2, 3, 5): """
        lobpcg
    """,
        (2, 6): """
        nn.functional.binary_cross_entropy_with_logits
    """,
        (2, 8): """
        nn.functional.embedding_bag
    """,
        (3,): """
        bilinear gru index_fill lstm nn.functional.bilinear
        nn.functional.scaled_dot_product_attention rnn_relu rnn_tanh scatter svd_lowrank
    """,
        (3, 4): """
        diff
    """,
        (4,): """
        istft nn.functional.huber_loss nn.functional.multi_margin_loss
        nn.functional.normalize stft
    """,
        (4, 5): """
        gru_cell lstm_cell rnn_relu_cell rnn_tanh_cell
    """,
        (5,): """
        nn.functional.fractional_max_pool2d_with_indices
        nn.functional.fractional_max_pool3d_with_indices nn.functional.l1_loss
        nn.functional.mse_loss
    """,
        (5, 6, 7, 8, 12, 14, 16, 18, 19, 20, 21, 22): """
        nn.functional.multi_head_attention_forward
    """,
        (6,): """
        embedding_bag
    """,
        (8,): """
        nn.functional.scaled_mm
    """,
        (8, 9): """
        nn.functional.scaled_grouped_mm
    """,
    }
)

OPEN_POSITIONS: Final[Mapping[str, frozenset[int]]] = MappingProxyType(
    {
        f"torch.{name}": frozenset(positions)
        for positions, names in _OPEN.items()
        for name in words(names)
    }
)
"""Where functions take a number or None as well as a tensor: what stands there is no tensor for
that, as ``factor`` in ``torch.mul(x, factor)``."""

NO_TENSORS: Final = words("""
    align_corners alpha antialias atol axis batch_first beta bidirectional ceil_mode center
    chunks correction count_include_pad decimals delta descending device diagonal dilation dim
    dim0 dim1 dims divisor_override downscale_factor dropout dropout_p dtype end_dim eps
    equal_nan full_matrices generator groups hermitian hop_length ignore_index increasing
    inplace is_causal k keepdim kernel_size label_smoothing lambd largest log_input log_target
    margin max_norm maxnorm memory_format minlength mode momentum n_fft nan negative_slope
    neginf norm_type normalized normalized_shape num_classes num_groups num_layers num_samples
    onesided ord output_padding output_size pad pad_mode padding padding_idx padding_mode
    padding_value pin_memory posinf recompute_scale_factor reduce reduction replacement
    requires_grad return_complex return_counts return_indices return_inverse rtol scale_factor
    scale_grad_by_freq sections shape shifts size size_average sizes some sorted sparse
    split_size split_size_or_sections split_sizes stable start_dim step storage_offset stride
    threshold training unbiased upper upscale_factor win_length
""")
"""Keywords under which no function takes a tensor."""

NUMBERS_TOO: Final = words("""
    bins count end exponent high max mean min n p rcond repeats scale spacing start std tol value
    zero_point
""")
"""Keywords under which some functions take a tensor and others a number."""

OPTIONAL: Final = words("""
    append attn_mask bias bias_k bias_v bins end exponent grad_outputs in_proj_bias in_proj_weight
    key_padding_mask max min offsets other out_proj_bias per_sample_weights pos_weight prepend
    rcond repeats running_mean running_var scale sorter source start value weight weights window
""")
"""Keywords under which some functions take a number or None as well as a tensor."""
