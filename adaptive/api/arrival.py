"""Processing time: a column of the source that whoever runs the query fills in."""

from __future__ import annotations

import ir
from ir.rewrite import with_source


def with_arrival(node: ir.Operator) -> ir.Operator:
    """The same rows with the time at which each came, which is also their watermark."""
    match node:
        case ir.Source(name, schema):
            return _arriving(name, schema)
        case ir.Watermark(_, ir.ARRIVAL):
            return node
        case ir.Watermark(_, column):
            raise ir.IrError(
                f"windows by processing time go by when rows come, the watermark by {column!r}:"
                " leave the watermark out, or use windows by that column"
            )
        case ir.Filter(source):
            return with_source(node, with_arrival(source))
        case ir.Project(source, columns):
            arrival = ir.Column(ir.ARRIVAL, ir.TIMESTAMP, nullable=False)
            return ir.Project(with_arrival(source), (*columns, ir.Named(ir.ARRIVAL, arrival)))
    raise ir.IrError(
        "windows by processing time are for rows of the source; for windows over the results"
        " of others write f.window('window_end', ...)"
    )


def _arriving(name: str, schema: ir.Schema) -> ir.Operator:
    if ir.ARRIVAL in schema:
        raise ir.IrSchemaError(
            f"the engine itself fills the column {ir.ARRIVAL!r}; rename the one of the source"
        )
    arrival = ir.Field(ir.ARRIVAL, ir.TIMESTAMP, nullable=False)
    source = ir.Source(name, ir.Schema((*schema.fields, arrival)))
    return ir.Watermark(source, ir.ARRIVAL, delay_us=0)
