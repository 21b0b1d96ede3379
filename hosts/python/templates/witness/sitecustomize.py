"""The witness of `tierup init --function`: Python loads it into every process of the server before the server's own
code.

While tierup sends single requests, it notes the types of the watched functions' arguments and answers. Values stay in
the process. It reports only types, names from the user's source, hashes with a key of this run, and for an answer the
plain hash, as in `[health]` of tierup.toml. Its own errors never reach the server.
"""

import sys


def _tierup_next():
    """Loads the sitecustomize that this one replaces, as if this one did not exist."""
    import importlib.machinery
    import importlib.util
    import os

    here = os.path.dirname(os.path.abspath(__file__))
    path = [folder for folder in sys.path if os.path.abspath(folder or ".") != here]
    found = importlib.machinery.PathFinder.find_spec("sitecustomize", path)
    if found is not None and found.loader is not None:
        module = importlib.util.module_from_spec(found)
        sys.modules["sitecustomize"] = module
        found.loader.exec_module(module)


def _tierup_witness(settings):
    import dis
    import hashlib
    import inspect
    import json
    import os
    import re
    import socket
    import threading
    import time

    import _tierup_annotations as annotations

    key = settings["key"]
    watched = {}
    for index, function in enumerate(settings["functions"]):
        watched.setdefault((function["file"], function["name"]), []).append((index, function["line"]))
    most_calls, most_elements, deepest = 500, 1000, 8
    names = {name for _, name in watched}
    state = {"on": False, "round": 0}
    state["lock"] = threading.Lock()
    sources = {}

    def fresh():
        return [
            {
                "calls": 0,
                "line": 0,
                "lines": [],
                "others": [],
                "parameters": [],
                "answers": [],
                "answer_times": [],
                "waits": False,
                "exported": False,
                "declared": None,
                "problems": [],
                "entered": [],
                "left": [],
            }
            for _ in settings["functions"]
        ]

    state["found"] = fresh()

    def source_of(file):
        if file not in sources:
            try:
                with open(file, encoding="utf-8", errors="replace") as opened:
                    sources[file] = opened.read()
            except OSError:
                sources[file] = ""
        return sources[file]

    def add(known, shape):
        if shape not in known and len(known) < most_elements:
            known.append(shape)

    def add_at(known, times, shape, at):
        if shape in known:
            times[known.index(shape)].append(at)
        elif len(known) < most_elements:
            known.append(shape)
            times.append([at])

    def all_of(values, source, depth):
        shapes = []
        for place, value in enumerate(values):
            if place >= most_elements:
                break
            add(shapes, shape_of(value, source, depth + 1))
        return shapes

    def shape_of(value, source, depth=0):
        def refused(why):
            return {"is": "refused", "why": why}

        kind = type(value)
        if value is None:
            return {"is": "absent"}
        if kind is bool:
            return {"is": "bool"}
        if kind is str:
            # Half of a surrogate pair is not text that can be encoded.
            return refused("text with half of a surrogate pair") if re.search("[\ud800-\udfff]", value) else {"is": "text"}
        if kind is bytes:
            return {"is": "bytes"}
        if kind is int:
            if -(2**31) <= value < 2**32:
                return {"is": "whole", "signed": value < 0, "large": value >= 2**31}
            if -(2**63) <= value < 2**64:
                return {"is": "wide", "signed": value < 2**63}
            return refused("a whole number of more than 64 bits")
        if kind is float:
            return {"is": "float"}
        if depth >= deepest:
            return refused(f"a value nested deeper than {deepest} levels")
        if kind is list:
            return {"is": "list", "of": all_of(list.__iter__(value), source, depth)}
        if kind is dict:
            if any(type(name) is not str for name in dict.keys(value)):
                return refused("a dict whose keys are not text")
            return {"is": "map", "of": all_of(dict.values(value), source, depth)}
        # This must not run the value's own code: no `__getattr__`, no property, no metaclass.
        fields = inspect.getattr_static(kind, "__dataclass_fields__", None)
        attributes = attributes_of(value) if type(fields) is dict else None
        if type(attributes) is dict:
            if all(name in attributes for name in fields):
                shapes = [[name, shape_of(attributes[name], source, depth + 1)] for name in fields]
                return {"is": "record", "fields": shapes}
        name = kind.__name__
        return refused(f"an object of the class {name if re.fullmatch(r'[A-Za-z_][A-Za-z0-9_]{0,60}', name) else 'without a name'}")

    def attributes_of(value):
        try:
            return object.__getattribute__(value, "__dict__")
        except AttributeError:
            return None

    def keyed(value):
        return hashlib.sha256(key.encode() + b"\0" + value).hexdigest()

    def word(value):
        if type(value) is str:
            return keyed(value.encode("utf-8", "surrogatepass"))
        if type(value) is int:
            return keyed(str(value).encode())
        return keyed(value) if type(value) is bytes else None

    def hash_of(value):
        if type(value) is str:
            return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
        return hashlib.sha256(value).hexdigest() if type(value) is bytes else None

    def which(code):
        for index, line in watched.get((os.path.realpath(code.co_filename), code.co_name), ()):
            if line is None or line == code.co_firstlineno:
                return index
        return None

    def seen(frame, event, answer):
        code = frame.f_code
        index = which(code)
        if index is None:
            return
        with state["lock"]:
            found = state["found"][index]
            source = source_of(code.co_filename)
            if event == "call":
                if code.co_firstlineno not in found["lines"]:
                    found["lines"].append(code.co_firstlineno)
                found["line"] = code.co_firstlineno
                found["calls"] += 1
                if found["calls"] > most_calls:
                    return
                problems = []
                if code.co_flags & inspect.CO_GENERATOR:
                    problems.append("it is a generator, which answers piece by piece")
                if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
                    problems.append("it is a coroutine: name the function within it that computes")
                if code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
                    problems.append("it takes any number of arguments: give each a name of its own")
                if code.co_freevars:
                    problems.append("it uses variables of the function around it: pass them as arguments")
                arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
                if arguments[:1] in (("self",), ("cls",)):
                    problems.append(f"it is a method: pass what it needs of `{arguments[0]}` as arguments")
                for problem in problems:
                    add(found["problems"], problem)
                if problems:
                    return
                values = [frame.f_locals[name] for name in arguments]
                at = time.time() * 1000
                found["entered"].append({"at": at, "words": [word(value) for value in values]})
                for place, (name, value) in enumerate(zip(arguments, values)):
                    if place == len(found["parameters"]):
                        found["parameters"].append({"name": name, "shapes": [], "times": []})
                    parameter = found["parameters"][place]
                    add_at(parameter["shapes"], parameter["times"], shape_of(value, source), at)
            elif found["calls"] <= most_calls and not found["problems"]:
                # An exception that leaves the function looks like a return of None, but at another instruction.
                if not dis.opname[code.co_code[frame.f_lasti]].startswith("RETURN"):
                    return
                at = time.time() * 1000
                found["left"].append({"at": at, "sha256": hash_of(answer)})
                add_at(found["answers"], found["answer_times"], shape_of(answer, source), at)

    def hook(frame, event, answer):
        if event in ("call", "return") and state["on"] and frame.f_code.co_name in names:
            try:
                seen(frame, event, answer)
            except Exception:
                pass

    def declared_of(value, found):
        try:
            function = inspect.unwrap(value)
            if inspect.isfunction(function) and function.__code__.co_firstlineno == found["line"]:
                return annotations.declared(function, [parameter["name"] for parameter in found["parameters"]])
        except Exception:
            pass
        return None

    def result():
        functions = state["found"]
        for function, found in zip(settings["functions"], functions):
            for name, module in list(sys.modules.items()):
                file = getattr(module, "__file__", None)
                if file is None or os.path.realpath(file) != function["file"]:
                    continue
                value = getattr(module, function["name"], None)
                # Importing the started script would start it again.
                if name != "__main__":
                    found["exported"] = found["exported"] or callable(value)
                found["declared"] = found["declared"] or declared_of(value, found)
            if len(found["lines"]) > 1:
                found["calls"] = 0
            else:
                found["lines"] = []
        return functions

    def obey(line, connection):
        if line == "start":
            state["found"] = fresh()
            state["on"] = True
            connection.sendall(b"started\n")
        elif line.startswith("stop "):
            state["on"] = False
            with state["lock"]:
                text = json.dumps({"functions": result()})
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            with os.fdopen(os.open(line[len("stop ") :], flags, 0o600), "w") as file:
                file.write(text)
            connection.sendall(b"stopped -\n")

    def connected():
        # This does not block: a server may fork more processes than tierup accepts at a time. Others use the thread.
        connection = None
        try:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.setblocking(False)
            connection.connect(settings["socket"])
            connection.setblocking(True)
            return connection
        except OSError:
            if connection is not None:
                connection.close()
            return None

    def agent(connection):
        try:
            if connection is None:
                state["connection"] = connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                connection.connect(settings["socket"])
            with connection:
                connection.sendall(f"hello {os.getpid()} 0\n".encode())
                with connection.makefile("r", encoding="utf-8") as lines:
                    for line in lines:
                        obey(line.rstrip("\n"), connection)
        except Exception:
            pass
        finally:
            state["on"] = False

    def begin():
        # Connects now, so that tierup knows of the process before it answers its first request.
        state["connection"] = connected()
        threading.Thread(target=agent, args=(state["connection"],), daemon=True, name="tierup").start()

    sys.setprofile(hook)
    threading.setprofile(hook)
    begin()

    def forked():
        # The connection is the parent's. If it stayed open here, tierup would not see the parent's end. The agent's
        # frame still exists here and keeps `close` from closing it.
        try:
            os.close(state["connection"].detach())
        except (AttributeError, OSError):
            pass
        # A child has no agent, and may have a lock that nobody will release.
        state["lock"] = threading.Lock()
        state["on"] = False
        begin()

    os.register_at_fork(after_in_child=forked)


try:
    _tierup_witness({{settings}})
except Exception:
    # The server goes on. tierup reports that nobody has connected.
    pass
_tierup_next()
