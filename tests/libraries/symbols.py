"""Builds models on the meta device whose numbers and tensors remember their expressions over config.json."""

import contextlib
import sys

import torch
import transformers
from torch.overrides import TorchFunctionMode

UNKNOWN = "?"
SCALINGS = {"mul", "__mul__", "__rmul__", "div", "__truediv__"}  # keep the sizes of a new tensor
FACTORIES = {torch.empty, torch.zeros, torch.ones, torch.rand, torch.randn}


def expression(number):
    return number.expression if isinstance(number, Symbol) else str(int(number))


class Symbol(int):
    """A number that remembers its expression over config.json."""

    def __new__(cls, value, text):
        symbol = int.__new__(cls, value)
        symbol.expression = text
        return symbol

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return int, (int(self),)


def _operation(name, sign, is_reversed):
    method = f"__{'r' if is_reversed else ''}{name}__"

    def apply(self, other):
        result = getattr(int, method)(self, other)
        if result is NotImplemented:
            return result
        sides = [expression(self), expression(other)]
        text = f"({sign.join(reversed(sides) if is_reversed else sides)})"
        return Symbol(result, UNKNOWN if UNKNOWN in sides else text)

    setattr(Symbol, method, apply)


for _name, _sign in (("add", "+"), ("sub", "-"), ("mul", "*"), ("floordiv", "/")):
    _operation(_name, _sign, False)
    _operation(_name, _sign, True)
Symbol.__pow__ = lambda self, power, modulo=None: self * self if power == 2 else int(self) ** power
Symbol.__truediv__ = lambda self, other: Quotient(self, other)


class Quotient(float):
    """A quotient of two numbers. If it is exact, int() of it, which models write, returns a symbol again."""

    def __new__(cls, number, other):
        quotient = float.__new__(cls, int(number) / other)
        quotient.whole = number // other if isinstance(other, int) and int(number) % int(other) == 0 else None
        return quotient


class _Integer(type):
    def __instancecheck__(cls, value):
        return isinstance(value, int)

    def __call__(cls, *arguments):
        whole = getattr(arguments[0], "whole", None) if arguments else None
        return arguments[0] if isinstance(arguments[0] if arguments else None, Symbol) else whole or int(*arguments)


class Integer(metaclass=_Integer):
    """Replaces int in the models' modules."""


def numbers_in(arguments):
    for argument in arguments:
        if isinstance(argument, (tuple, list)):
            yield from numbers_in(argument)
        elif isinstance(argument, int):
            yield argument


class Tracing(TorchFunctionMode):
    """Makes tensors remember the expressions of their sizes."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        made = function(*args, **kwargs)
        if function in FACTORIES:
            sizes = [expression(it) for it in numbers_in(args or (kwargs.get("size", ()),))]
            if len(sizes) == made.dim():
                made.sizes = sizes
        if function.__name__ in SCALINGS:
            made.sizes = next((it.sizes for it in args if hasattr(it, "sizes") and it.shape == made.shape), None)
        return made


class Counting:
    """Replaces range(). A list of modules made from range(symbol) remembers the expression of its length."""

    last = None

    def __init__(self, *arguments):
        self.range, self.text = range(*arguments), expression(arguments[-1])
        self.is_symbolic = len(arguments) == 1 and isinstance(arguments[0], Symbol)

    def __iter__(self):
        yield from self.range
        Counting.last = (self.text, len(self.range)) if self.is_symbolic else None

    def __getattr__(self, name):
        return getattr(self.range, name)

    def __len__(self):
        return len(self.range)

    def __getitem__(self, i):
        return self.range[i]

    def __reversed__(self):
        return reversed(self.range)


@contextlib.contextmanager
def traced():
    """Context in which models are built like this."""
    parameter_class, buffer_class, list_class = torch.nn.Parameter, torch.nn.Buffer, torch.nn.ModuleList
    new_parameter, new_buffer, new_list = parameter_class.__new__, buffer_class.__new__, list_class.__init__
    num_labels = transformers.PreTrainedConfig.num_labels

    def remembering(new):
        def make(cls, data=None, *args, **kwargs):
            made = new(cls, data, *args, **kwargs)
            if hasattr(data, "sizes"):
                made.sizes = data.sizes
            return made

        return make

    def make_list(self, modules=None):
        Counting.last = None if not isinstance(modules, list) else Counting.last
        new_list(self, modules)
        if Counting.last and Counting.last[1] == len(self):
            self.count = Counting.last[0]
        Counting.last = None

    modules = [it for name, it in list(sys.modules.items()) if name.startswith("transformers.models.")]
    parameter_class.__new__, buffer_class.__new__ = remembering(new_parameter), remembering(new_buffer)
    list_class.__init__ = make_list
    transformers.PreTrainedConfig.num_labels = property(labels_of, num_labels.fset)
    for module in modules:
        vars(module).update(range=Counting, int=Integer)
    try:
        with torch.device("meta"), Tracing():
            yield
    finally:
        parameter_class.__new__, buffer_class.__new__, list_class.__init__ = new_parameter, new_buffer, new_list
        transformers.PreTrainedConfig.num_labels = num_labels
        for module in modules:
            del vars(module)["range"], vars(module)["int"]


def configs_in(config, path=""):
    yield path, config
    for key, value in list(vars(config).items()):
        if isinstance(value, transformers.PreTrainedConfig):
            yield from configs_in(value, f"{path}{key}.")


def labels_of(config):
    """Replaces PreTrainedConfig.num_labels: config.json has this number as the length of id2label."""
    return config.id2label and Symbol(len(config.id2label), f"{getattr(config, '_path', '')}num_labels")


def with_symbols(config):
    for path, part in configs_in(config):
        part._path = path
        for key, value in list(vars(part).items()):
            if key.startswith("_"):
                continue
            if type(value) is int:
                setattr(part, key, Symbol(value, path + key))
            elif type(value) in (list, tuple) and value and all(type(it) is int for it in value):
                setattr(part, key, type(value)(Symbol(it, UNKNOWN) for it in value))
    return config


def sizes_of(tensor):
    """Returns the expressions of a tensor's sizes. Plain numbers count as unknown, because they may not come from the
    config, except for 1 and 2, which are outputs of heads."""
    sizes = getattr(tensor, "sizes", None) or [UNKNOWN] * tensor.dim()
    return [UNKNOWN if it.isdigit() and it not in ("1", "2") else it for it in sizes]
