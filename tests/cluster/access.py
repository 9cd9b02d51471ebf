"""Two tenants that try to learn something of each other, and requests that are refused."""

import concurrent.futures
import json
import os
import re
import urllib.parse
import urllib.request

from systems import Repository, get, until
from watch import content, generations

TENANTS = {"red": "crimson", "blue": "azure"}
ARGUMENTS = ["query", "symbol", "path", "pattern", "workspace", "workspaces", "name", "module", "ref", "file", "paths", "regex", "symbol_id",
             "question", "base", "head", "author", "handler", "language", "project", "position", "uri"]


def texts(color):
    """`COLOR_hidden` is in the text of the other tenant only; no question contains it."""
    return {
        f"vault/{color}_hidden_file.py": f'def {color}_hidden_function(amount):\n    """Common words about a vault of {color}_hidden_words."""\n'
                                         f"    return amount\n\n\ndef common_name():\n    return {color}_hidden_function(1)\n",
        "README.md": f"# Vault\n\nThe {color}_hidden_text about common words.\n",
    }


def access(stage):
    stage.start()
    cluster = stage.cluster
    folder = os.path.join(cluster.folder, "tenants")
    os.makedirs(folder, exist_ok=True)
    owned = {tenant: Repository(folder, f"{tenant}-vault", texts(color)) for tenant, color in TENANTS.items()}
    cluster.run("add", owned["red"].url())
    cluster.run("add", owned["blue"].url(), "--group", "blue-group")
    tokens = {"red": cluster.token("red", "--repository", "red-vault"), "blue": cluster.token("blue", "--group", "blue-group")}
    for repository in owned.values():
        until("the tenants' repositories are indexed", lambda: cluster.served(repository.name))
    stage.settled()
    try:
        tenants(stage, owned, tokens)
        spying(stage, owned, tokens)
        doors(stage, tokens)
        hostile(stage)
        endings(stage, tokens)
    finally:
        cluster.run("remove", "red-vault", "blue-vault", check=False)


def tenants(stage, owned, tokens):
    """The same questions from both, by the same nodes."""
    for tool, field, subject in [("search_code", "query", "common words about a vault"), ("locate_symbol", "symbol", "common_name"),
                                 ("grep_code", "pattern", "common")]:
        for tenant, repository in owned.items():
            answers = [node.ask(tool, tokens[tenant], **{field: subject}) for node in stage.nodes]
            expected = stage.engine.ask(tool, subject, {repository: repository.head()})
            good = all(status == 200 and content(answer) == expected and [name for name, _, _ in generations(answer)] == [repository.name]
                       for status, answer in answers)
            stage.check(f"{tool}: {tenant} gets what it owns alone", good, (answers, expected))


def spying(stage, owned, tokens):
    """Every tool, with whatever names something of the other tenant."""
    _, answer = get(stage.nodes[0].address() + "/api/none", tokens["red"])
    tools = re.search(r"ask one of (.*)", answer["error"]["data"]["remediation"])[1].split(", ")
    other_id = stage.query("SELECT id FROM codecompass_repositories WHERE name = 'blue-vault'")
    caches = [os.path.join(node.cache, other_id, "source.git") for node in stage.nodes]
    values = ["azure", "blue-vault", "@blue-group", "vault", "../blue-vault", owned["blue"].folder, owned["blue"].head(), caches[0] + "/HEAD", "azure.*"]
    asked = [(tool, {name: value}) for tool in tools for name in ARGUMENTS
             for value in (values if name in ("workspace", "path", "query", "symbol", "pattern") else values[:1])]
    asked += [(tool, {"query": "vault", "symbol": "common_name", "path": "vault", "pattern": "common", "workspaces": ["red-vault", "blue-vault"]}) for tool in tools]
    secret = ("azure_hidden", "blue-vault", "blue-group", owned["blue"].head(), "source.git", "ref: refs/", "codecompass-packs")
    leaks, statuses = [], {}

    def ask(number):
        tool, arguments = asked[number]
        status, answer = stage.nodes[number % 3].ask(tool, tokens["red"], **arguments)
        text = json.dumps(answer)
        # The question's own words may come back.
        if any(word in text and word not in str(arguments) for word in secret):
            leaks.append((tool, arguments, status, text[:300]))
        return status

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for status in pool.map(ask, range(len(asked))):
            statuses[status] = statuses.get(status, 0) + 1
    stage.check(f"{len(asked)} questions of {len(tools)} tools tell nothing of the other tenant", not leaks, leaks[:3])
    stage.check("many of them are answered", statuses.get(200, 0) > 100 and statuses.get(500, 0) == 0, statuses)
    same = [node.ask("search_code", tokens["red"], query="x", workspace=name) for name in ("blue-vault", "no-such-one") for node in stage.nodes]
    texts = {json.dumps(answer).replace("blue-vault", "NAME").replace("no-such-one", "NAME") for _, answer in same}
    stage.check("another tenant's name is as unknown as one that is not there", len(texts) == 1 and all(status == 403 for status, _ in same), same)
    outside = [node.ask("read_file", tokens["red"], path=path) for node in stage.nodes
               for path in ("/etc/passwd", "../../../../../../etc/passwd", caches[0] + "/config", "vault/../../../view.json")]
    stage.check("no file outside the repository is read", not any("root:" in str(answer) or "bare" in str(answer) or status == 200 for status, answer in outside), outside)


def doors(stage, tokens):
    """Requests without a right, to every route."""
    node = stage.nodes[2]
    search = node.address() + "/api/search_code?query=vault"
    refused = [get(search)[0], get(search, "wrong")[0], get(search, "")[0], get(search, tokens["red"] + "0")[0], get(search, tokens["red"][:-1])[0],
               get(search, headers={"Authorization": tokens["red"]})[0], get(search + "&token=" + tokens["red"])[0],
               get(node.address() + "/mcp", data=b"{}", headers={"Content-Type": "application/json"})[0]]
    stage.check("nothing is answered without a token", refused == [401] * len(refused), refused)
    page = get(search, tokens["red"], headers={"Origin": "http://example.com"})[0]
    stage.check("web pages may not ask", page == 403, page)
    call = {"tool": "search_code", "is_json": True, "arguments": {"query": "vault"}, "subject": None, "max_tokens": 1000, "missing": [],
            "is_one_of_several": False, "is_current": True, "repositories": [{"id": 1, "name": "api", "generation": 1}]}
    inner = []
    for path in ("call", "round"):
        for token in (None, "wrong", tokens["red"], stage.token):
            inner.append(get(f"{node.address()}/cluster/{path}", token, data=json.dumps(call).encode())[0])
    stage.check("routes of nodes are closed to tenants", inner == [401] * len(inner), inner)
    secret = stage.query("SELECT value FROM codecompass_settings WHERE name = 'secret'")
    right = get(f"{node.address()}/cluster/call", secret, data=json.dumps(call).encode())[0]
    stage.check("and open to nodes", right == 200, right)
    shown = "".join(node.events_text() for node in stage.nodes)
    stage.check("logs have no secret", not any(word in shown for word in (secret, stage.token, tokens["red"], "vault")), "")


def hostile(stage):
    """Names and URLs that are refused before anything is done with them."""
    cluster = stage.cluster
    before = stage.query("SELECT count(*) FROM codecompass_repositories")
    good = stage.repositories["api"].url()
    adds = [["https://user:pass@example.com/x.git"], ["ext::sh -c id"], ["--", "--upload-pack=id"], ["file:///tmp/a\x01b"], ["/etc"], ["ssh://-oProxyCommand=id/x"],
            ["https://example.com/x"], ["file:///tmp/\nx"], ["git@host:x"], [good, "--name", "x'; DROP TABLE codecompass_jobs; --"],
            [good, "--name", 'a"b'], [good, "--name", "-x"], [good, "--name", "a\x1b[31m"], [good, "--name", ""], [good, "--name", "x" * 200],
            [good + "#--option"], [good + "#a..b"], [good, "--name", "new", "--group", "g'; --"], [good, "--name", "new", "--group", "@"]]
    taken = []
    for words in adds:
        answer = cluster.run("add", *words, check=False)
        if "added" in answer or "pass@" in str(answer) or any(ord(letter) < 32 and letter != "\n" for letter in str(answer)):
            taken.append((words, answer))
    stage.check("hostile URLs and names are refused", not taken, taken)
    names = ["' OR 1=1 --", "'; DELETE FROM codecompass_access; --", "%", "*", "../api", "@", "@'", "api\x00", "api web", "\\", "$(id)"]
    found = [node.ask("search_code", stage.token, query="retry", workspace=name) for name in names for node in stage.nodes[:1]]
    stage.check("hostile names in questions are unknown", all(status in (400, 403) for status, _ in found), found)
    tokens = [cluster.run("token", "add", name, "--all", check=False) for name in ("a'b", "x y", "", "\x07")]
    stage.check("hostile names of tokens are refused", not any("token" in answer and isinstance(answer, dict) and "error" not in answer for answer in tokens), tokens)
    stage.check("and nothing has changed", before == stage.query("SELECT count(*) FROM codecompass_repositories") and stage.query("SELECT count(*) FROM codecompass_jobs") == "0")


def endings(stage, tokens):
    """A token that was removed or whose time is over is refused soon."""
    def is_refused(tenant):
        return all(node.ask("search_code", tokens[tenant], query="vault")[0] == 401 for node in stage.nodes)

    stage.check("both tokens are good", not is_refused("red") and not is_refused("blue"))
    stage.cluster.run("token", "remove", "red")
    stage.query("UPDATE codecompass_access SET expires_at = now() WHERE name = 'blue'")
    until("a removed token is refused", lambda: is_refused("red"), 5)
    until("an expired token is refused", lambda: is_refused("blue"), 5)
    stage.check("removed and expired tokens are refused", True)
    listed = {entry["name"]: entry for entry in stage.cluster.run("token", "list")["tokens"]}
    stage.check("tokens are listed", "red" not in listed and listed["blue"]["is_expired"] and "token" not in str(listed["all"].keys()), listed)
