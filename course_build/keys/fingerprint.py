"""sha256 over what Python syntax means: no comments, docstrings, annotations of functions, or positions.

The same under every Python version: fields that are empty or that only describe the spelling are left out.
"""

from __future__ import annotations

import ast
import hashlib

_IGNORED = {"ctx", "kind", "type_comment", "type_ignores", "returns"}
_CLOSE, _END = ")", "]"


def fingerprint(*nodes: ast.AST) -> str:
    """Return sha256 over the meaning of nodes: field names and values in order, empty fields left out."""
    out: list[str] = []
    todo: list[object] = [node for node in reversed(nodes) if not _is_idle(node)]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.AST):
            out.append(f"({type(node).__name__}")
            todo.append(_CLOSE)
            for name in reversed(node._fields):
                value = getattr(node, name, None)
                if name in _IGNORED or (name == "annotation" and isinstance(node, ast.arg)):
                    continue
                if value is None and not isinstance(node, ast.Constant):
                    continue
                if isinstance(value, list):
                    value = [_shown(each) for each in value if not _is_idle(each)]
                    if value:
                        todo.extend([_END, *reversed(value), f".{name}["])
                else:
                    todo.extend([_shown(value), f".{name}="])
        else:
            out.append(str(node))
    return hashlib.sha256("".join(out).encode("utf-8", "surrogatepass")).hexdigest()


def _shown(value: object) -> object:
    return value if isinstance(value, ast.AST) else ascii(value)


def _is_idle(node: object) -> bool:
    """Tell whether a statement does nothing: a docstring or another bare constant, or `pass`."""
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
