"""A language model of a few hundred kilobytes with weights drawn by chance, in the GGUF format.

python -m tests.measure.tiny_model FILE

It has learnt nothing and says whatever its sampler lets it say: the most hostile of voters that is still a model.
Needs the `gguf` package.
"""

from __future__ import annotations

import sys
from pathlib import Path

import gguf
import numpy as np

CONTEXT = 8192  # tokens; each letter is one
WIDTH, LAYERS, HEADS, INNER = 32, 2, 2, 64
SEED = 42

SPECIAL = ("<unk>", "<s>", "</s>")
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
LETTERS = ["\u2581", *(chr(code) for code in range(0x21, 0x7F))]  # a space is written as this block


def write(file: Path) -> None:
    """Write the model to `file`, the same one each time."""
    writer = gguf.GGUFWriter(file, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    _add_words(writer)
    for name, weights in _weights(len(SPECIAL) + len(BYTES) + len(LETTERS)).items():
        writer.add_tensor(name, weights)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_words(writer: gguf.GGUFWriter) -> None:
    kinds = gguf.TokenType
    writer.add_tokenizer_model("llama")
    writer.add_token_list([*SPECIAL, *BYTES, *LETTERS])
    writer.add_token_scores([0.0] * (len(SPECIAL) + len(BYTES) + len(LETTERS)))
    writer.add_token_types(
        [kinds.UNKNOWN, kinds.CONTROL, kinds.CONTROL, *[kinds.BYTE] * len(BYTES), *[kinds.NORMAL] * len(LETTERS)]
    )
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)


def _weights(words: int) -> dict[str, np.ndarray]:
    """The tensors by name, float32, small enough that no word is much likelier than another."""
    draw = np.random.default_rng(SEED)

    def drawn(*shape: int) -> np.ndarray:
        return draw.normal(0.0, 0.1, shape).astype(np.float32)

    ones = np.ones(WIDTH, dtype=np.float32)
    weights = {
        "token_embd.weight": drawn(words, WIDTH),
        "output_norm.weight": ones,
        "output.weight": drawn(words, WIDTH),
    }
    for layer in range(LAYERS):
        at = f"blk.{layer}"
        weights |= {f"{at}.attn_norm.weight": ones, f"{at}.ffn_norm.weight": ones}
        weights |= {f"{at}.attn_{part}.weight": drawn(WIDTH, WIDTH) for part in ("q", "k", "v", "output")}
        weights |= {f"{at}.ffn_{part}.weight": drawn(INNER, WIDTH) for part in ("gate", "up")}
        weights[f"{at}.ffn_down.weight"] = drawn(WIDTH, INNER)
    return weights


if __name__ == "__main__":
    write(Path(sys.argv[1]))
