"""Replaces the library `datasets`, without the Hub: every data set is 64 short sentences."""


class Dataset(list):
    """A list of rows, whose methods return new lists."""

    @property
    def column_names(self):
        return list(self[0])

    def __getitem__(self, key):
        if isinstance(key, str):
            return [row[key] for row in self]
        return Dataset(super().__getitem__(key)) if isinstance(key, slice) else super().__getitem__(key)

    def map(self, function, batched=False, remove_columns=(), **_):
        if not batched:
            return Dataset({**row, **function(row)} for row in self)
        made = function({name: self[name] for name in self.column_names})
        kept = [{name: row[name] for name in row if name not in remove_columns} for row in self]
        return Dataset({**row, **{name: made[name][i] for name in made}} for i, row in enumerate(kept))

    def select(self, indices):
        return Dataset(self[i] for i in indices)

    def shuffle(self, **_):
        return self

    def remove_columns(self, names):
        return Dataset({name: row[name] for name in row if name not in names} for row in self)

    def set_format(self, *_, **__):
        pass

    with_format = set_format


class DatasetDict(dict):
    def map(self, function, **options):
        return DatasetDict((name, part.map(function, **options)) for name, part in self.items())


class Audio:
    def __init__(self, *_, **__):
        pass


def load_dataset(*_, split=None, **__):
    rows = Dataset({"quote": f"Sentence {i} is short.", "author": "none", "tags": []} for i in range(64))
    return rows if split else DatasetDict(train=rows)
