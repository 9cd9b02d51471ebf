"""What a cluster does when nothing is wrong."""

import hashlib
import hmac
import json
import shutil
import urllib.error
import urllib.request

from systems import get, until
from watch import content, metrics


def basics(stage):
    stage.start()
    cluster, nodes = stage.cluster, stage.nodes
    names = sorted(stage.repositories)
    stage.settled()
    heads = {repository: repository.head() for repository in stage.repositories.values()}
    for tool, field, subject in [("search_code", "query", "retry after a failure"), ("locate_symbol", "symbol", "shared_marker"),
                                 ("search_code", "query", "limit_rate"), ("search_code", "query", "page.py")]:
        answers = [node.ask(tool, stage.token, **{field: subject}) for node in nodes]
        stage.check(f"{tool} {subject!r} is the same at all nodes", all(answer == answers[0] for answer in answers), answers)
        expected = stage.engine.ask(tool, subject, heads)
        stage.check(f"{tool} {subject!r} is that of the engine", content(answers[0][1]) == expected, (answers[0], expected))
    for tool, arguments, subject in [("find_references", {"symbol": "retry_request"}, "retry_request"),
                                     ("get_symbol", {"symbol": "limit_rate"}, "limit_rate"),
                                     ("grep_code", {"pattern": "retry"}, "retry"),
                                     ("read_file", {"path": "src/retry.py"}, "src/retry.py")]:
        answers = [node.ask(tool, stage.token, workspace="api", **arguments) for node in nodes]
        expected = stage.engine.ask(tool, subject, {stage.repositories["api"]: stage.repositories["api"].head()})
        stage.check(f"{tool} of one repository, from any node", all(status == 200 and content(answer) == expected for status, answer in answers),
                    (answers, expected))
        answers = [node.ask(tool, stage.token, **arguments) for node in nodes]
        expected = stage.engine.ask(tool, subject, heads)
        stage.check(f"{tool} of all repositories has the shape of one machine", all(status == 200 and content(answer) == expected for status, answer in answers),
                    (answers, expected))
    status, answer = nodes[0].ask("get_call_graph", stage.token, symbol="api:retry_request", to="web:limit_rate")
    stage.check("things of two repositories in one question are refused", status == 400 and "several repositories" in str(answer), answer)
    with stage.watch() as watcher:
        wanted = stage.change("api")
        until("the next generation is served", lambda: cluster.served("api") >= wanted)
        stage.settled()
        found = [node.ask("search_code", stage.token, query="generation marker", workspaces=names)[1] for node in nodes]
        stage.check("a new commit is found", all(any(hit["path"].startswith("notes/") for hit in answer["results"]) for answer in found), found)
    stage.check_answers(watcher, calm=True)
    stage.check_catalogue()
    hook(stage)
    mcp(stage)
    figures(stage)


def hook(stage):
    """Only a signed message of a git server counts."""
    body = b'{"ref": "refs/heads/main"}'
    sign = hmac.new(b"hook secret", body, hashlib.sha256).hexdigest()
    address = stage.nodes[0].address() + "/webhook/web"
    wrong = [get(address, data=body, headers=headers)[0] for headers in (
        {}, {"X-Hub-Signature-256": "sha256=" + "0" * 64}, {"X-Hub-Signature-256": "sha256="}, {"X-Hub-Signature-256": "sha256=zz"},
        {"X-Gitlab-Token": "wrong"}, {"Authorization": "Bearer " + stage.token})]
    stage.check("webhooks without a right signature are refused", wrong == [401] * 6, wrong)
    jobs = stage.query("SELECT count(*) FROM codecompass_jobs")
    stage.check("and ask for nothing", jobs == "0", jobs)
    before = stage.cluster.served("web")
    stage.repositories["web"].commit({"notes/hooked.md": "generation marker of a hook\n"}, "Hooked")
    status, _ = get(address, data=body, headers={"X-Hub-Signature-256": "sha256=" + sign})
    until("the hook's generation is served", lambda: stage.cluster.served("web") > before)
    stage.check("a signed webhook asks for the index", status == 202, status)
    stage.settled()


def mcp(stage):
    """The protocol over HTTP, as agents speak it."""
    address = stage.nodes[1].address() + "/mcp"

    def send(message, session=None, token=stage.token):
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + token}
        if session:
            headers["Mcp-Session-Id"] = session
        request = urllib.request.Request(address, json.dumps({"jsonrpc": "2.0", **message}).encode(), headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read().decode()
            lines = [line[5:] for line in text.splitlines() if line.startswith("data:") and line[5:].strip()]
            return json.loads(lines[-1] if lines else text or "null"), answer.headers.get("Mcp-Session-Id")

    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    first, session = send({"id": 1, "method": "initialize", "params": hello})
    stage.check("a client begins a session", "result" in first, first)
    send({"method": "notifications/initialized"}, session)
    tools, _ = send({"id": 2, "method": "tools/list"}, session)
    listed = [tool["name"] for tool in tools["result"]["tools"]]
    stage.check("tools are listed", "search_code" in listed and "index_status" not in listed, listed)
    call = {"name": "search_code", "arguments": {"query": "retry after a failure"}}
    answer, _ = send({"id": 3, "method": "tools/call", "params": call}, session)
    text = answer["result"]["content"][0]["text"]
    stage.check("a call is answered", "src/retry.py" in text and "generation" in text or "3 repositories" in text, text)
    many = {"calls": [{"tool": call["name"], "arguments": call["arguments"]}, {"tool": "index_status"}, {"tool": "ask_many"}]}
    answer, _ = send({"id": 5, "method": "tools/call", "params": {"name": "ask_many", "arguments": many}}, session)
    text = answer["result"]["content"][0]["text"]
    is_right = "## 1 of 3: search_code" in text and "src/retry.py" in text and "does not answer `index_status`" in text
    stage.check("several calls are answered in one", is_right and "cannot be asked in itself" in text, text)
    refused = None
    try:
        send({"id": 4, "method": "tools/call", "params": call}, session, "wrong")
    except urllib.error.HTTPError as error:
        refused = error.code
    stage.check("a session is of no use without its token", refused == 401, refused)


def figures(stage):
    """`/health` and `/metrics` need no token and tell nothing of what is indexed."""
    status, health = get(stage.nodes[0].address() + "/health")
    stage.check("a node tells its health", status == 200 and health["status"] == "ready" and health["catalogue"] == "reachable", health)
    found = metrics(stage.nodes[0])
    stage.check("figures have Prometheus' form", found["codecompass_repositories"] >= 3 and found["codecompass_nodes_alive"] == 3
                and found["codecompass_questions_total"] > 0 and 'codecompass_answer_seconds_bucket{le="+Inf"}' in found, found)
    _, text = get(stage.nodes[0].address() + "/metrics")
    stage.check("figures name no repository", not any(name in text for name in ("web", "retry")), text)


def administration(stage):
    """The commands: list, status, drain, rebalance, remove."""
    stage.start()
    cluster, nodes = stage.cluster, stage.nodes
    listed = cluster.run("list")["repositories"]
    stage.check("repositories are listed", [entry["name"] for entry in listed] == sorted(stage.repositories) and all(
        entry["files"] > 0 and entry["index_bytes"] > 0 for entry in listed), listed)
    with stage.watch() as watcher:
        cluster.run("drain", "n1")
        others = nodes[1:]
        until("others have what it owned", lambda: all(metrics(node)["codecompass_views"] == 3 for node in others))
        claimed = int(metrics(nodes[0])["codecompass_jobs_done_total"])
        for _ in range(2):
            for name in stage.repositories:
                stage.change(name)
            stage.settled()
        stage.check("a drained node claims no jobs", metrics(nodes[0])["codecompass_jobs_done_total"] == claimed, metrics(nodes[0]))
        state = {node["name"]: node for node in cluster.run("status")["nodes"]}
        stage.check("status shows that it is drained", state["n1"]["is_draining"] and not state["n2"]["is_draining"], state)
        cluster.run("rebalance")
        until("the drained node drops all", lambda: metrics(nodes[0])["codecompass_views"] == 0)
        stage.check_all_equal("a drained node still answers")
        cluster.run("drain", "n1", "--undo")
        until("it owns again", lambda: metrics(nodes[0])["codecompass_views"] > 0)
        cluster.run("rebalance")
        # Each repository has two owners.
        until("the others drop what they do not own", lambda: sum(metrics(node)["codecompass_views"] for node in nodes) == 6)
    stage.check_answers(watcher, calm=True)
    stage.check_all_equal()
    repository = stage.repositories["jobs"]
    cluster.run("add", repository.url(), "--name", "passing")
    until("it is indexed", lambda: cluster.served("passing"))
    cluster.run("remove", "passing")
    until("it is unknown everywhere", lambda: all(node.ask("search_code", stage.token, query="x", workspace="passing")[0] == 403 for node in nodes))
    until("nodes forget it", lambda: all(metrics(node)["codecompass_views"] <= 3 for node in nodes))
    answer = cluster.run("remove", "passing", check=False)
    stage.check("what is not there cannot be removed", "there is no repository" in str(answer), answer)
    stage.check_all_equal()


def upgrade(stage):
    """Older nodes beside newer ones: tables with additions, indexes in another format, and tables that they would misread."""
    stage.start()
    stage.settled()
    node = stage.nodes[0]
    with stage.watch() as watcher:
        stage.query("ALTER TABLE codecompass_repositories ADD COLUMN IF NOT EXISTS added_later text DEFAULT 'x'")
        stage.query("UPDATE codecompass_schema SET version = version + 1")
        watcher.excused.add(node.name)
        node.stop()
        node.start()
        for name in stage.repositories:
            stage.change(name, "beside newer nodes")
        stage.settled()
    stage.check_answers(watcher)
    stage.check_all_equal("nodes work with tables that a newer program has added to")
    stage.query("UPDATE codecompass_generations SET format = '999.999'")
    for other in stage.nodes:
        other.stop()
        shutil.rmtree(other.cache)
    for other in stage.nodes:
        other.start()
    stage.check_all_equal("an index in another format is made anew from the git objects")
    stage.query("UPDATE codecompass_schema SET version = version + 1, oldest_program = version + 1")
    node.stop()
    node.start(wait=False)
    until("a node that is too old ends", lambda: node.process.poll() is not None, 30)
    stage.check("a node refuses tables that it would misread", node.process.returncode != 0 and "newer version" in node.events_text()[-600:], node.events_text()[-600:])
    stage.query("UPDATE codecompass_schema SET version = version - 2, oldest_program = 1")
    node.start()
    # A catalogue that was restored to an older state: what nodes have is of generations that are lost.
    for other in stage.nodes:
        other.stop()
    stage.query("DELETE FROM codecompass_generations g USING codecompass_repositories r WHERE g.repository = r.id AND g.generation = r.generation")
    stage.query("UPDATE codecompass_repositories SET generation = generation - 1, served = generation - 1")
    for repository in stage.repositories.values():
        repository.commit({"notes/restored.md": "generation marker after a restore\n"}, "After a restore")
    for other in stage.nodes:
        other.start()
    stage.cluster.run("update", *stage.repositories)
    stage.settled()
    stage.check_all_equal("nodes drop generations that a restored catalogue does not have")
    # Later scenarios need indexes that nodes can use.
    for name in stage.repositories:
        stage.change(name, "after the upgrade")
    stage.settled()
    stage.check_all_equal()
    stage.check_catalogue()
