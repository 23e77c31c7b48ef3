"""The intermediate representation of stream queries: types, expressions, operators, meaning."""

from ir.aggregates import AGGREGATES, AggregateCall
from ir.errors import EvaluationError, IrError, IrSchemaError, IrTypeError
from ir.evaluate import evaluate, evaluate_expr
from ir.expr import Call, Cast, Column, Expr, Literal, Scalar, conjunction, conjuncts, substitute
from ir.functions import FUNCTIONS, EvalMode
from ir.json_form import content_hash, from_json, spec_from_json, spec_to_json, to_json
from ir.operators import (
    WINDOW_END,
    WINDOW_START,
    Aggregate,
    Filter,
    Named,
    NamedAggregate,
    Operator,
    Project,
    Sink,
    Source,
)
from ir.passes import optimize
from ir.pipelines import Pipeline, RowProgram, cut, flatten, narrow_nulls
from ir.rewrite import PassReport
from ir.text_form import expr_text, plan_text
from ir.types import (
    BOOL,
    DATE,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    STRING,
    TIMESTAMP,
    DataType,
    Field,
    Schema,
    type_named,
)
from ir.variant import GENERIC, SelectRows, Tier, VariantSpec
from ir.verify import verify
from ir.windows import TumblingWindow

__all__ = [
    "AGGREGATES",
    "BOOL",
    "DATE",
    "FLOAT32",
    "FLOAT64",
    "FUNCTIONS",
    "GENERIC",
    "INT8",
    "INT16",
    "INT32",
    "INT64",
    "STRING",
    "TIMESTAMP",
    "WINDOW_END",
    "WINDOW_START",
    "Aggregate",
    "AggregateCall",
    "Call",
    "Cast",
    "Column",
    "DataType",
    "EvalMode",
    "EvaluationError",
    "Expr",
    "Field",
    "Filter",
    "IrError",
    "IrSchemaError",
    "IrTypeError",
    "Literal",
    "Named",
    "NamedAggregate",
    "Operator",
    "PassReport",
    "Pipeline",
    "Project",
    "RowProgram",
    "Scalar",
    "Schema",
    "SelectRows",
    "Sink",
    "Source",
    "Tier",
    "TumblingWindow",
    "VariantSpec",
    "conjunction",
    "conjuncts",
    "content_hash",
    "cut",
    "evaluate",
    "evaluate_expr",
    "expr_text",
    "flatten",
    "from_json",
    "narrow_nulls",
    "optimize",
    "plan_text",
    "spec_from_json",
    "spec_to_json",
    "substitute",
    "to_json",
    "type_named",
    "verify",
]
