"""Makes the model of this folder: a BERT of two layers with random weights, and the vectors it should give.

    pip install numpy onnx onnxruntime tokenizers
    python make.py

The graph has the operators that exports of the Hugging Face tools have. The expected vectors are computed here with
numpy, not from the ONNX file; onnxruntime is asked for a second opinion. Weights come from a seed, so the files only
change if this script or the format does.
"""

import json
import os
from math import erf

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

HIDDEN, HEADS, INNER, LAYERS, POSITIONS, POOLED = 16, 2, 32, 2, 32, 8
LOWEST = float(np.finfo(np.float32).min)
HERE = os.path.dirname(os.path.abspath(__file__))

WORDS = """get set put add new open close read write load store save send find list map key value name path file folder
line text token user password hash check verify error result return function class struct self this let mut pub use for
in if else while match async await string bytes size count index order item query search parse print test config user_id
client server request response retry time cache lock thread queue stack tree node edge graph sort merge diff commit""".split()
SUFFIXES = "ing ed er or s es ion able ly ment".split()
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"(){}[].,:;=+-*/<>_\"'&|!"]
VOCABULARY += [*LETTERS, *("##" + letter for letter in LETTERS), *WORDS, *("##" + suffix for suffix in SUFFIXES)]
VOCABULARY = list(dict.fromkeys(VOCABULARY))


def make_tokenizer():
    numbers = {word: number for number, word in enumerate(VOCABULARY)}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    marks = [("[CLS]", numbers["[CLS]"]), ("[SEP]", numbers["[SEP]"])]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=marks)
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    # As in published models: a limit and a padding that are not the model's and must be overruled.
    tokenizer.enable_truncation(12)
    tokenizer.enable_padding(length=12)
    tokenizer.save(os.path.join(HERE, "tokenizer.json"), pretty=False)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def make_weights():
    random = np.random.default_rng(20)
    shapes = {"words": (len(VOCABULARY), HIDDEN), "positions": (POSITIONS, HIDDEN), "types": (2, HIDDEN)}
    for layer in range(LAYERS):
        for name in "qkvo":
            shapes[f"{layer}.{name}"] = (HIDDEN, HIDDEN)
        shapes[f"{layer}.in"], shapes[f"{layer}.out"] = (HIDDEN, INNER), (INNER, HIDDEN)
    weights = {name: random.normal(0, 0.4, shape) for name, shape in shapes.items()}
    for layer in range(LAYERS):
        for name in ["q", "k", "v", "o", "in", "out"]:
            weights[f"{layer}.{name}.bias"] = random.normal(0, 0.1, shapes[f"{layer}.{name}"][1])
    for name in ["norm", *(f"{layer}.norm{n}" for layer in range(LAYERS) for n in (1, 2))]:
        weights[name], weights[name + ".bias"] = random.normal(1, 0.2, HIDDEN), random.normal(0, 0.2, HIDDEN)
    weights["dense"] = random.normal(0, 0.4, (HIDDEN, POOLED))
    return {name: weight.astype(np.float32) for name, weight in weights.items()}


def reference(weights, ids):
    """The vectors of one text's tokens, in double precision and without padding."""
    w = {name: weight.astype(np.float64) for name, weight in weights.items()}

    def norm(x, name):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-12) * w[name] + w[name + ".bias"]

    def linear(x, name):
        return x @ w[name] + w[name + ".bias"]

    def heads(x):
        return x.reshape(len(ids), HEADS, -1).transpose(1, 0, 2)

    x = norm(w["words"][ids] + w["positions"][: len(ids)] + w["types"][0], "norm")
    for layer in range(LAYERS):
        q, k, v = (heads(linear(x, f"{layer}.{name}")) for name in "qkv")
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(HIDDEN // HEADS)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = scores / scores.sum(-1, keepdims=True) @ v
        x = norm(x + linear(mixed.transpose(1, 0, 2).reshape(len(ids), HIDDEN), f"{layer}.o"), f"{layer}.norm1")
        inner = linear(x, f"{layer}.in")
        inner = inner * 0.5 * (1 + np.vectorize(erf)(inner / np.sqrt(2)))
        x = norm(x + linear(inner, f"{layer}.out"), f"{layer}.norm2")
    return x


class Graph:
    """An ONNX graph in the making; values are named by what makes them."""

    def __init__(self):
        self.nodes, self.constants = [], {}

    def constant(self, value, name=None):
        name = name or f"constant_{len(self.constants)}"
        self.constants[name] = numpy_helper.from_array(np.asarray(value), name)
        return name

    def add(self, kind, *inputs, output=None, **attributes):
        output = output or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def write(self, name, inputs, outputs):
        value = lambda name, kind, shape: helper.make_tensor_value_info(name, kind, shape)
        inputs = [value(name, TensorProto.INT64, ["batch", "sequence"]) for name in inputs]
        outputs = [value(name, kind, shape) for name, kind, shape in outputs]
        graph = helper.make_graph(self.nodes, "tiny", inputs, outputs, list(self.constants.values()))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], producer_name="make.py")
        model.ir_version = 8
        onnx.checker.check_model(model)
        onnx.save(model, os.path.join(HERE, name))


def bert(weights):
    """The graph up to the tokens' vectors, and the mask as floating point numbers."""
    g = Graph()
    f = lambda value: g.constant(np.float32(value))
    i = lambda values: g.constant(np.array(values, np.int64))
    w = lambda name: name if name in g.constants else g.constant(weights[name], name)

    def norm(x, name):
        x = g.add("Sub", x, g.add("ReduceMean", x, axes=[-1]))
        variance = g.add("ReduceMean", g.add("Pow", x, f(2)), axes=[-1])
        x = g.add("Div", x, g.add("Sqrt", g.add("Add", variance, f(1e-12))))
        return g.add("Add", g.add("Mul", x, w(name)), w(name + ".bias"))

    def linear(x, name):
        return g.add("Add", g.add("MatMul", x, w(name)), w(name + ".bias"))

    def heads(x, order):
        return g.add("Transpose", g.add("Reshape", x, i([0, 0, HEADS, HIDDEN // HEADS])), perm=order)

    length = g.add("Gather", g.add("Shape", "input_ids"), g.constant(np.int64(1)), axis=0)
    places = g.add("Slice", i([list(range(POSITIONS))]), i([0]), g.add("Unsqueeze", length, i([0])), i([1]))
    x = g.add("Add", g.add("Gather", w("words"), "input_ids"), g.add("Gather", w("types"), "token_type_ids"))
    x = norm(g.add("Add", x, g.add("Gather", w("positions"), places)), "norm")
    mask = g.add("Cast", "attention_mask", to=TensorProto.FLOAT)
    hidden = g.add("Mul", g.add("Sub", f(1), g.add("Unsqueeze", mask, i([1, 2]))), f(LOWEST))
    for layer in range(LAYERS):
        q, v = (heads(linear(x, f"{layer}.{name}"), [0, 2, 1, 3]) for name in "qv")
        k = heads(linear(x, f"{layer}.k"), [0, 2, 3, 1])
        scores = g.add("Div", g.add("MatMul", q, k), f(np.sqrt(HIDDEN // HEADS)))
        scores = g.add("Softmax", g.add("Add", scores, hidden), axis=-1)
        mixed = g.add("Transpose", g.add("MatMul", scores, v), perm=[0, 2, 1, 3])
        mixed = g.add("Reshape", mixed, i([0, 0, HIDDEN]))
        x = norm(g.add("Add", x, linear(mixed, f"{layer}.o")), f"{layer}.norm1")
        inner = linear(x, f"{layer}.in")
        bent = g.add("Add", g.add("Erf", g.add("Div", inner, f(np.sqrt(2)))), f(1))
        inner = g.add("Mul", g.add("Mul", inner, bent), f(0.5))
        x = norm(g.add("Add", x, linear(inner, f"{layer}.out")), f"{layer}.norm2")
    return g, x, mask


def write_models(weights):
    inputs = ["input_ids", "attention_mask", "token_type_ids"]
    by_token = lambda name: (name, TensorProto.FLOAT, ["batch", "sequence", HIDDEN])
    g, x, _ = bert(weights)
    g.add("Identity", x, output="last_hidden_state")
    g.write("model.onnx", inputs, [by_token("last_hidden_state")])

    # With the pooling and a layer after it inside, as an export of a sentence-transformers model has them.
    g, x, mask = bert(weights)
    g.add("Identity", x, output="token_embeddings")
    wide = g.add("Unsqueeze", mask, g.constant(np.array([2], np.int64)))
    axis = g.constant(np.array([1], np.int64))
    sums = g.add("ReduceSum", g.add("Mul", x, wide), axis, keepdims=0)
    mean = g.add("Div", sums, g.add("ReduceSum", wide, axis, keepdims=0))
    g.add("MatMul", mean, g.constant(weights["dense"], "dense"), output="sentence_embedding")
    pooled = ("sentence_embedding", TensorProto.FLOAT, ["batch", POOLED])
    g.write("pooled.onnx", inputs, [by_token("token_embeddings"), pooled])

    # Models that no vectors can be had from.
    g = Graph()
    g.add("Identity", "input_ids", output="numbers")
    g.write("wrong-output.onnx", ["input_ids"], [("numbers", TensorProto.INT64, ["batch", "sequence"])])
    g = Graph()
    g.add("Add", "input_ids", "past_key_values", output="numbers")
    g.write("wrong-input.onnx", ["input_ids", "past_key_values"], [("numbers", TensorProto.INT64, ["batch", "sequence"])])


def second_opinion(name, output, ids, expected):
    """Asks onnxruntime about the text beside a longer one, so with padding."""
    session = onnxruntime.InferenceSession(os.path.join(HERE, name), providers=["CPUExecutionProvider"])
    rows = np.zeros((2, POSITIONS), np.int64)
    rows[0, : len(ids)], rows[1] = ids, 7
    mask = np.ones_like(rows)
    mask[0, len(ids) :] = 0
    inputs = {"input_ids": rows, "attention_mask": mask, "token_type_ids": np.zeros_like(rows)}
    given = session.run([output], inputs)[0][0]
    given = given[: len(ids)] if given.ndim == 2 else given
    assert np.abs(given - expected).max() < 1e-4, (name, np.abs(given - expected).max())


def main():
    tokenizer, weights = make_tokenizer(), make_weights()
    write_models(weights)
    unit = lambda vector: [round(float(x), 6) for x in vector / np.linalg.norm(vector)]
    items = []
    for path, text in [
        ("", "get user name"),
        ("", "How is the password hashed?"),
        ("", "ünknown ☃ signs"),
        ("src/auth/password.py", "def verify(self, password):\n    return hash(password) == self.hash"),
        ("a/b/c/d/queue.c", "struct node { struct node *next; };"),
        ("main.go", "func main() { for i := 0; i < 10; i++ { print(i) } } // more than thirty-two tokens for sure, so cut"),
    ]:
        full = "/".join(path.split("/")[-3:]) + "\n" + text if path else text
        ids = tokenizer.encode(full).ids
        ids = ids if len(ids) <= POSITIONS else ids[: POSITIONS - 1] + ids[-1:]
        vectors = reference(weights, ids)
        pooled = vectors.mean(0) @ weights["dense"]
        second_opinion("model.onnx", "last_hidden_state", ids, vectors)
        second_opinion("pooled.onnx", "sentence_embedding", ids, pooled)
        item = {"path": path, "text": text, "tokens": len(ids), "mean": unit(vectors.mean(0))}
        items.append({**item, "cls": unit(vectors[0]), "last": unit(vectors[-1]), "pooled": unit(pooled)})
    write = lambda name, value: open(os.path.join(HERE, name), "w").write(json.dumps(value, indent=1) + "\n")
    write("expected.json", items)
    write("config.json", {"model_type": "bert", "hidden_size": HIDDEN, "max_position_embeddings": POSITIONS, "pad_token_id": 0})


main()
