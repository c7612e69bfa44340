"""Validates GraphQL requests against the types that the SDKs generate from the schemas of the services.

A query becomes expressions of TypeScript: `issueCreate(input: $input) { issue { id } }` reads `it.issueCreate.issue.id` of the
type `Mutation`, and its arguments have the type `MutationIssueCreateArgs`.
"""

import json

from graphql import GraphQLError, parse, print_ast, value_from_ast_untyped
from graphql.language import FieldNode, ListTypeNode, NonNullTypeNode, VariableNode

from .records import Refused
from .typescript import TypeScript

SCALARS = {"ID": "string", "String": "string", "Int": "number", "Float": "number", "Boolean": "boolean", "JSON": "unknown"}


class GraphQL(TypeScript):
    """An SDK whose `setup` imports the types of its schema as `schema`, and has a function `send(query, variables)`."""

    def __init__(self, packages, setup):
        super().__init__(packages, setup, {}, defaults=("variables",))

    def knows(self, request):
        return True

    def call(self, request):
        body = request.body
        if body.keys() - {"query", "variables", "operationName"}:
            raise Refused(f"unknown fields {body.keys()}")
        try:
            (operation,) = parse(body["query"]).definitions
        except GraphQLError as error:
            raise Refused(str(error)) from error
        root, variables = operation.operation.value.capitalize(), body.get("variables", {})
        checks = [f"(it: schema.{root}) => [{', '.join(self.fields('it', operation.selection_set))}]"]
        for field in operation.selection_set.selections:
            if field.arguments:
                checks.append(self.arguments(root, field, operation.variable_definitions, variables))
        return f"{{ untyped([{', '.join(checks)}]); return send({json.dumps(body['query'])}, {json.dumps(variables)}); }}"

    def fields(self, parent, selection_set):
        for field in selection_set.selections:
            if not isinstance(field, FieldNode) or (parent != "it" and field.arguments):
                raise Refused(f"no validation of {print_ast(field)}")
            expression = f"{parent}.{field.name.value}"
            if field.selection_set:
                yield from self.fields(f"item({expression})", field.selection_set)
            else:
                yield expression

    def arguments(self, root, field, definitions, variables):
        """The values of the variables have their declared types, and these fit the arguments of the field."""
        declared = {it.variable.name.value: typescript_type(it.type) for it in definitions or ()}
        given = {name: type for name, type in declared.items() if name in variables}
        values = ", ".join(
            f"{it.name.value}: {it.value.name.value if isinstance(it.value, VariableNode) else literal(it.value)}"
            for it in field.arguments
            if not isinstance(it.value, VariableNode) or it.value.name.value in given
        )
        parameters = ", ".join(f"{name}: {type}" for name, type in given.items())
        name = "_".join(word[0].upper() + word[1:] for word in field.name.value.split("_"))
        call = ", ".join(json.dumps(variables[name]) for name in given)
        return f"(({parameters}): schema.{root}{name}Args => ({{{values}}}))({call})"


def literal(node):
    return json.dumps(value_from_ast_untyped(node))


def typescript_type(node):
    if isinstance(node, NonNullTypeNode):
        return typescript_type(node.type)
    if isinstance(node, ListTypeNode):
        return f"Array<{typescript_type(node.type)}>"
    return SCALARS.get(node.name.value, f"schema.{node.name.value}")
