"""Validates examples/deploy/kubernetes, compose and grafana; `.ci/deploy-files` runs it.

The only argument is the program petstore-server, which must accept all variables in the files.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

import compose_spec
import kubernetes_validate
import yaml
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard

DEPLOY = pathlib.Path(__file__).resolve().parent.parent / "examples/deploy"
PROGRAM = pathlib.Path(sys.argv[1]).resolve()
IMAGE = json.loads((DEPLOY / "container/petstore-server.json").read_text())
# The variables that the images set, which the files add to.
OF_IMAGE = dict(entry.split("=", 1) for entry in IMAGE["Env"] if entry.startswith("PETSTORE_"))


def main():
    kubernetes()
    compose()
    grafana()
    print("the files for Kubernetes, Compose and Grafana are valid")


def kubernetes():
    path = DEPLOY / "kubernetes/petstore.yaml"
    objects = list(yaml.safe_load_all(path.read_text()))
    for one in objects:
        version = kubernetes_validate.latest_version()
        kubernetes_validate.validate(one, version, strict=True)
        print(f"{one['kind']}: valid for Kubernetes {version}")
    kinds = {one["kind"]: one for one in objects}
    deployment = kinds["Deployment"]["spec"]
    pod = deployment["template"]["spec"]
    [container] = pod["containers"]
    labels = deployment["template"]["metadata"]["labels"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}

    for name, selector in {
        "Deployment": deployment["selector"]["matchLabels"],
        "Service": kinds["Service"]["spec"]["selector"],
        "PodDisruptionBudget": kinds["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
        "NetworkPolicy": kinds["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"],
    }.items():
        require(selector.items() <= labels.items(), f"{name} does not select the pods")
    used = [port["targetPort"] for port in kinds["Service"]["spec"]["ports"]]
    used += [container[probe]["httpGet"]["port"] for probe in ("livenessProbe", "readinessProbe")]
    used += [port["port"] for rule in kinds["NetworkPolicy"]["spec"]["ingress"] for port in rule["ports"]]
    for port in used:
        require(port in ports, f"no container port is named {port}")
    require(kinds["PodDisruptionBudget"]["spec"]["maxUnavailable"] < deployment["replicas"], "all pods may go")
    # Otherwise no node can be drained while the database is away, as no pod is ready then.
    require(
        kinds["PodDisruptionBudget"]["spec"].get("unhealthyPodEvictionPolicy") == "AlwaysAllow",
        "pods that are not ready keep a node from being drained",
    )
    # Otherwise the Service adds variables that begin like those of the program.
    require(pod.get("enableServiceLinks") is False, "the variables of the Service are in the pods")
    require("cpu" in container["resources"]["requests"] and "memory" in container["resources"]["limits"], "resources")

    settings = dict(kinds["ConfigMap"]["data"])
    for entry in container["env"]:
        settings[entry["name"]] = "postgres://petstore:secret@host/petstore"
    accepted = accepted_settings(OF_IMAGE | settings)
    require(accepted["listen"].endswith(f":{ports['http']}"), "another port of the API")
    require(accepted["admin-listen"].endswith(f":{ports['admin']}"), "another port of the admin listener")
    longest = accepted["shutdown-delay-seconds"] + 2 * accepted["shutdown-grace-seconds"]
    require(pod["terminationGracePeriodSeconds"] > float(longest), "too little time to stop")
    mounted = [mount["mountPath"] for mount in container["volumeMounts"]]
    require(mounted == list(IMAGE["Volumes"]), "another folder than the volume of the image")
    kubernetes_discovery(deployment["template"])


def kubernetes_discovery(template):
    """Prometheus scrapes the pods, once each, as the job that the rules and the dashboard select.

    Debian's Prometheus cannot discover pods, so it gets the targets as Kubernetes would give them:
    each port of each pod, with these labels.
    """
    settings = yaml.safe_load((DEPLOY / "kubernetes/prometheus.yml").read_text())
    [job] = settings["scrape_configs"]
    discovery = [{"role": "pod", "namespaces": {"names": ["petstore"]}}]
    require(job.pop("kubernetes_sd_configs") == discovery, "Prometheus looks for other pods")
    name = template["metadata"]["labels"]["app.kubernetes.io/name"]
    pods = [("petstore-a", "10.1.0.1", name), ("petstore-b", "10.1.0.2", name), ("another", "10.1.0.3", "another")]
    job["static_configs"] = [
        {
            "targets": [f"{address}:{port['containerPort']}"],
            "labels": {
                "__meta_kubernetes_pod_name": pod,
                "__meta_kubernetes_pod_label_app_kubernetes_io_name": label,
                "__meta_kubernetes_pod_container_port_name": port["name"],
            },
        }
        for pod, address, label in pods
        for port in template["spec"]["containers"][0]["ports"]
    ]
    with tempfile.TemporaryDirectory() as copy:
        shutil.copy(DEPLOY / "prometheus-rules.yml", copy)
        file = pathlib.Path(copy, "prometheus.yml")
        file.write_text(yaml.safe_dump(settings))
        promtool("check", "config", file)
        found = json.loads(promtool("check", "service-discovery", "--timeout=1s", file, "petstore"))
    found = sorted(
        (target["labels"]["job"], target["labels"]["instance"], target["labels"]["__address__"])
        for target in found
        if target.get("labels")
    )
    expected = [("petstore", "petstore-a", "10.1.0.1:9090"), ("petstore", "petstore-b", "10.1.0.2:9090")]
    require(found == expected, f"Prometheus scrapes {found} instead of {expected}")
    print(f"Prometheus scrapes {found}")


def compose():
    folder = DEPLOY / "compose"
    text = (folder / "compose.yaml").read_text()
    # As Compose does: defaults, and values that have to be set.
    text = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text)
    text = re.sub(r"\$\{\w+:\?[^}]*\}", "a-value", text)
    compose_spec.PyCompose.from_yaml(text).validate()
    services = yaml.safe_load(text)["services"]
    for name, service in services.items():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            require(not source.startswith(".") or (folder / source).exists(), f"{name}: {source} does not exist")
    for command in re.findall(r"^docker compose exec .*", (folder / "README.md").read_text(), re.MULTILINE):
        # podman-compose would give the command a terminal, which changes what it prints.
        require(" -T " in command, f"compose/README.md: `{command}` has no -T")
    service = services["petstore"]
    # Docker does not find an image of podman's registry `localhost`.
    require(re.fullmatch(r"petstore-server:[\d.]+", service["image"]), f"the image is {service['image']}")
    require(service["healthcheck"]["test"] == IMAGE["Healthcheck"]["Test"], "another health check than the image's")
    accepted = accepted_settings(OF_IMAGE | service["environment"])
    require("@postgres/petstore" in accepted["database"], "another database")
    require(services["postgres"]["environment"]["POSTGRES_USER"] in accepted["database"], "another user")
    for entry in service["ports"]:
        require(entry.startswith("127.0.0.1:") and entry.endswith(accepted["listen"].split(":")[1]), entry)

    targets = yaml.safe_load((folder / "prometheus.yml").read_text())["scrape_configs"][0]["dns_sd_configs"][0]
    require(targets["names"] == ["petstore"], "Prometheus looks for another service")
    require(accepted["admin-listen"].endswith(f":{targets['port']}"), "Prometheus looks at another port")
    with tempfile.TemporaryDirectory() as copy:
        for file in (folder / "prometheus.yml", DEPLOY / "prometheus-rules.yml"):
            shutil.copy(file, copy)
        promtool("check", "config", f"{copy}/prometheus.yml")
    source = yaml.safe_load((folder / "grafana/datasources/prometheus.yaml").read_text())["datasources"][0]
    require(source["url"] == "http://prometheus:9090", "Grafana looks for another Prometheus")
    provider = yaml.safe_load((folder / "grafana/dashboards/petstore.yaml").read_text())["providers"][0]
    require(
        any(volume.split(":")[1].startswith(provider["options"]["path"]) for volume in services["grafana"]["volumes"]),
        "the dashboard is not where Grafana looks for it",
    )


def promtool(*arguments):
    if not shutil.which("promtool"):
        sys.exit("promtool is missing; run .ci/promtool first")
    command = subprocess.run(["promtool", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    require(command.returncode == 0, f"promtool {arguments}: {command.stdout}{command.stderr}")
    return command.stdout


def grafana():
    """Grafana's own types for dashboards and panels keep each member of the dashboard."""
    register_default_plugins()
    text = (DEPLOY / "grafana/petstore.json").read_text()
    read = Dashboard.from_json(json.loads(text))
    lost = list(differences(json.loads(text), json.loads(JSONEncoder().encode(read)), ""))
    # The types do not have this one, in which Grafana shows the query of a variable.
    lost = [path for path in lost if not re.fullmatch(r"/templating/list/\d+/definition", path)]
    require(not lost, f"Grafana does not know these parts of the dashboard: {lost}")
    print(f"dashboard: {len(json.loads(text)['panels'])} panels are valid for Grafana's types")


def differences(written, kept, path):
    if isinstance(written, dict) and isinstance(kept, dict):
        for key, value in written.items():
            yield from differences(value, kept.get(key), f"{path}/{key}")
    elif isinstance(written, list) and isinstance(kept, list) and len(written) == len(kept):
        for index, (one, other) in enumerate(zip(written, kept)):
            yield from differences(one, other, f"{path}/{index}")
    elif written != kept:
        yield path


def accepted_settings(variables):
    """The settings that the program has with these variables. It has each of them."""
    with tempfile.TemporaryDirectory() as folder:
        command = subprocess.run([PROGRAM, "config"], env=variables, cwd=folder, stdout=subprocess.PIPE, text=True)
    require(command.returncode == 0, f"the program rejects {variables}")
    settings = tomllib.loads(command.stdout)
    for name in variables:
        key = name.removeprefix("PETSTORE_").lower().replace("_", "-")
        require(key in settings, f"the program has no setting {name}")
    return {key: number(value) for key, value in settings.items()}


def number(value):
    try:
        return float(value)
    except ValueError:
        return value


def require(condition, problem):
    if not condition:
        sys.exit(f"examples/deploy: {problem}")


main()
