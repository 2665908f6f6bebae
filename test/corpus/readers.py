"""
Reads tables for the corpus command with pandas, openpyxl and pyarrow. Each line of stdin is a task as JSON:
{path, format, delimiter?, quote?, encoding?, sheet?, left_out}. Rows and columns in left_out are omitted here too. Each line of
stdout is a result: {rows, width, total} with at most MAX_ROWS rows including the header, or {error}.
"""

import json
import sys
import warnings
from decimal import Decimal

import openpyxl
import pandas
import pyarrow.parquet

MAX_ROWS = 50_001
ERRORS = {"#N/A", "#REF!", "#DIV/0!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!"}


def cell(value):
    """Converts a value for JSON: dates and times in ISO 8601, and missing values as null."""
    if value is None or value is pandas.NaT or value != value:
        return None
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    if isinstance(value, float):
        return value if abs(value) < float("inf") else str(value)
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, (list, tuple)):
        return [cell(part) for part in value]
    if isinstance(value, dict):
        return {str(key): cell(part) for key, part in value.items()}
    if isinstance(value, bytes):
        return "".join(chr(byte) if 32 <= byte < 127 and byte not in b"\\'\"" else f"\\x{byte:02X}" for byte in value)
    return cell(value.item()) if hasattr(value, "item") else str(value)


def is_empty(value):
    return value is None or (isinstance(value, str) and value.strip() == "")


def numbers(parts, is_column):
    """Returns the numbers of the rows or columns that the service left out, counted from 1."""
    return {
        number
        for part in parts
        if (part["place"] == "beside") == is_column
        for number in range(part["first"], part["last"] + 1)
    }


def csv(path, delimiter=",", quote='"', encoding="utf-8", rows_left_out=(), **_):
    frame = pandas.read_csv(
        path,
        sep=delimiter or ",",
        quotechar=quote or '"',
        encoding={"utf-8": "utf-8-sig", "utf-16le": "utf-16", "utf-16be": "utf-16"}.get(encoding, encoding),
        header=None,
        dtype=str,
        keep_default_na=False,
        engine="c",
        skiprows=[number - 1 for number in rows_left_out],
    )
    return frame.itertuples(index=False)


def parquet(path, **_):
    table = pyarrow.parquet.read_table(path)
    yield table.column_names
    yield from zip(*(column.to_pylist(maps_as_pydicts="lossy") for column in table.columns))


def of_json(path, **_):
    with open(path, encoding="utf-8-sig") as file:
        text = file.read()
    try:
        found = json.loads(text)
    except ValueError:
        found = [json.loads(line) for line in text.split("\n") if line.strip()]
    frame = pandas.DataFrame(found if isinstance(found, list) else [found], dtype=object)
    yield frame.columns
    yield from frame.itertuples(index=False)


def xlsx(path, sheet=None, rows_left_out=(), **_):
    book = openpyxl.load_workbook(path, data_only=True)
    rows = (book[sheet] if sheet is not None else book.worksheets[0]).iter_rows(values_only=True)
    return (row for number, row in enumerate(rows, 1) if number not in rows_left_out)


READERS = {"csv": csv, "json": of_json, "parquet": parquet, "xlsx": xlsx}


def read(path, format, left_out, **options):
    found = READERS[format](path, rows_left_out=numbers(left_out, is_column=False), **options)
    columns_left_out = numbers(left_out, is_column=True)
    rows = [[cell(value) for at, value in enumerate(row, 1) if at not in columns_left_out] for row in found]
    if format in ("csv", "xlsx"):
        rows = [row for row in rows if not all(map(is_empty, row))]
        # A table ends with its last column that has a value. In a sheet, it also begins with the first column that has a value.
        edges = (next(at for at, value in enumerate(row) if not is_empty(value)) for row in rows)
        first = min(edges, default=0) if format == "xlsx" else 0
        width = max((max(at for at, value in enumerate(row) if not is_empty(value)) + 1 for row in rows), default=0)
        rows = [row[first:width] for row in rows]
    if format == "xlsx":
        # The service reads errors as nulls.
        rows = [row for row in rows if not all(is_empty(value) or value in ERRORS for value in row)]
    return {"rows": rows[:MAX_ROWS], "width": max(map(len, rows), default=0), "total": len(rows)}


warnings.simplefilter("ignore")
# openpyxl prints some of its warnings to stdout.
answers, sys.stdout = sys.stdout, sys.stderr
for line in sys.stdin:
    try:
        answer = read(**json.loads(line))
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"[:300]}
    print(json.dumps(answer), file=answers, flush=True)
