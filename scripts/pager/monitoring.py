"""Prometheus and its node exporters, as docs/operations.md expects them."""

import json
import math
import urllib.parse

import story
from story import HOST, Failed, wait_until

RULES = story.ROOT / "contrib/prometheus/alerts.yaml"
DASHBOARD = story.ROOT / "contrib/grafana/onward.json"
# `/metrics` takes up to 4 s while the store does not answer, and a scrape may not last longer than this.
SCRAPE_SECONDS = 5
# What the value of `$__rate_interval` is in Grafana for scrapes every 15 s.
RATE_INTERVAL = "1m"


class Prometheus:
    """A Prometheus that scrapes all nodes and evaluates the rules as they are."""

    def __init__(self, site, nodes, exporters):
        """`nodes` and `exporters` are ports by the name of the instance."""
        (self.port,) = site.take_ports(1)
        self.site, self.targets = site, len(nodes) + len(exporters)
        settings = {
            "global": {
                "scrape_interval": f"{SCRAPE_SECONDS}s",
                "scrape_timeout": f"{SCRAPE_SECONDS}s",
                "evaluation_interval": "1s",
            },
            "rule_files": [str(RULES)],
            "scrape_configs": [make_job("onward", nodes), make_job("node", exporters)],
        }
        # JSON is YAML as well.
        config = site.folder / "prometheus.yml"
        config.write_text(json.dumps(settings))
        options = [f"--config.file={config}", f"--storage.tsdb.path={site.folder / 'prometheus'}"]
        options += [f"--web.listen-address={HOST}:{self.port}", "--log.level=warn"]
        process = site.start("prometheus", ["prometheus", *options])
        wait_until("Prometheus is ready", lambda: story.fetch(self.port, "/-/ready")[0] == 200, process)
        wait_until("Prometheus has scraped all", lambda: len(self.query("up == 1")) == self.targets, process)

    def query(self, expression):
        """The samples of an expression now, each with its labels and its value."""
        parameters = urllib.parse.urlencode({"query": expression})
        data = self.read(f"/api/v1/query?{parameters}")
        return [(sample["metric"], float(sample["value"][1])) for sample in data["result"]]

    def read(self, path):
        status, text = story.fetch(self.port, path)
        if status != 200:
            raise Failed(f"Prometheus answers {status} to {path}: {text}")
        return json.loads(text)["data"]

    def list_firing(self):
        """The alerts that fire now."""
        alerts = self.read("/api/v1/alerts")["alerts"]
        return [alert for alert in alerts if alert["state"] == "firing"]

    def list_fired(self):
        """The labels of all alerts that have fired since Prometheus began."""
        fired = self.query('max_over_time(ALERTS{alertstate="firing"}[1h])')
        return [labels for labels, _value in fired]

    def list_rules(self):
        (group,) = self.read("/api/v1/rules?type=alert")["groups"]
        return {rule["name"] for rule in group["rules"]}


def make_job(name, ports):
    targets = [{"targets": [f"{HOST}:{port}"], "labels": {"instance": one}} for one, port in ports.items()]
    return {"job_name": name, "static_configs": targets}


def start_exporter(site, folder):
    """Starts the node exporter of a machine. It shows the metrics in this folder."""
    (port,) = site.take_ports(1)
    options = ["--collector.disable-defaults", "--collector.textfile"]
    options += [f"--collector.textfile.directory={folder}", f"--web.listen-address={HOST}:{port}"]
    site.start(f"{folder.name}-exporter", ["prometheus-node-exporter", *options])
    return port


def list_queries():
    """The queries of the dashboard with the values of its variables, by the panel's title."""
    dashboard = json.loads(DASHBOARD.read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            expression = target["expr"].replace("$__rate_interval", RATE_INTERVAL).replace("$job", "onward")
            yield panel["title"], expression


def find_empty_queries(prometheus):
    """The queries of the dashboard that give no number."""
    return [
        f"{title}: {expression}"
        for title, expression in list_queries()
        if not any(math.isfinite(value) for _labels, value in prometheus.query(expression))
    ]
