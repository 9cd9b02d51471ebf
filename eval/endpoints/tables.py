"""Prints the routes that an application registers when it is loaded, as JSON: method, path, handler
and the module of the handler. Run by `applications.py` in a process of its own.

    python3 tables.py flask|fastapi|django "python code that sets `app`"
"""

import inspect
import json
import sys

rows = []


def add(method, path, handler, module):
    rows.append({"method": method, "path": path, "handler": handler, "module": module or ""})


def function_name(function):
    function = inspect.unwrap(function)
    while hasattr(function, "func"):
        function = function.func
    return getattr(function, "__name__", type(function).__name__), getattr(function, "__module__", "")


def flask_table(app):
    for rule in app.url_map.iter_rules():
        view = app.view_functions.get(rule.endpoint)
        if view is None:
            continue
        view_class = getattr(view, "view_class", None)
        for method in sorted(rule.methods - {"HEAD", "OPTIONS"}):
            if view_class is not None:
                add(method, rule.rule, f"{view_class.__name__}.{method.lower()}", view_class.__module__)
            else:
                add(method, rule.rule, *function_name(view))


def flat(routes):
    """Routes of included routers may be kept apart until they are asked for."""
    for route in routes:
        inner = getattr(route, "routes", None)
        if inner and not hasattr(route, "app") and not hasattr(route, "endpoint"):
            yield from flat(inner)
        else:
            yield route


def fastapi_table(app, prefix=""):
    for route in flat(app.routes):
        path = prefix + getattr(route, "path", "")
        if hasattr(route, "methods") and route.methods and hasattr(route, "endpoint"):
            for method in sorted(set(route.methods) - ({"HEAD"} if "GET" in route.methods else set())):
                add(method, path, *function_name(route.endpoint))
        elif "WebSocket" in type(route).__name__:
            add("WEBSOCKET", path, *function_name(route.endpoint))
        elif hasattr(route, "app") and hasattr(route.app, "routes"):
            fastapi_table(route.app, path)


def django_table(patterns, prefix=""):
    from django.urls import URLResolver

    for pattern in patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            django_table(pattern.url_patterns, path)
            continue
        view = pattern.callback
        actions = getattr(view, "actions", None)
        view_class = getattr(view, "view_class", None) or getattr(view, "cls", None)
        if actions:
            for method, action in actions.items():
                if method != "head":
                    add(method.upper(), path, f"{view_class.__name__}.{action}", view_class.__module__)
        elif view_class is not None:
            add("ANY", path, view_class.__name__, view_class.__module__)
        else:
            add("ANY", path, *function_name(view))


def main(kind, code):
    names = {}
    exec(code, names)
    if kind == "django":
        from django.urls import get_resolver

        django_table(get_resolver().url_patterns)
    else:
        {"flask": flask_table, "fastapi": fastapi_table}[kind](names["app"])
    print("TABLE" + json.dumps(rows))


main(*sys.argv[1:3])
