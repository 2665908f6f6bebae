"""
Reads the files in the JSON list on stdin, [{path, reader, options}], with pandas, and prints [{columns, rows}] as JSON. Also
creates the workbooks with openpyxl.
"""

import json
import sys
from datetime import date, datetime, time

import openpyxl
import pandas


def make_workbook(path):
    book = openpyxl.Workbook()
    sales = book.active
    sales.append(["product", "day", "at", "price", "sold", "note"])
    sales.append(["chair", date(2024, 1, 1), datetime(2024, 1, 1, 12), 12.5, 3, "a & <b>"])
    sales.append(["table", date(2024, 1, 2), datetime(2024, 1, 2, 6, 30, 15), 99, None, "last"])
    lanes = book.create_sheet("Lanes")
    for row in (["from", "to", "open", "leaves"], ["A", "B", True, time(8, 30)], ["B", "C", False, time(17, 5, 9)]):
        lanes.append(row)
    merged = book.create_sheet("Merged")
    for row in (["region", "city", "orders"], ["north", "Oslo", 1], [None, "Bergen", 2], ["south", "Lyon", 3]):
        merged.append(row)
    merged.merge_cells("A2:A3")
    book.save(path)


def cell(value):
    """Converts a value for JSON: dates and times in ISO 8601, numbers as floats, and missing values as null."""
    if value is None or value is pandas.NaT or (isinstance(value, float) and value != value):
        return None
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, str):
        return value
    value = value.item() if hasattr(value, "item") else value
    return value if isinstance(value, bool) else float(value)


def read(path, reader, options):
    if reader == "excel":
        make_workbook(path)
    frame = getattr(pandas, f"read_{reader}")(path, **options)
    rows = [[cell(value) for value in row] for row in frame.astype(object).itertuples(index=False)]
    return {"columns": [str(name) for name in frame.columns], "rows": rows}


json.dump([read(**task) for task in json.load(sys.stdin)], sys.stdout)
