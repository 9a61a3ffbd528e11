"""Writes the settings of a service that joins the framework in a folder, and the description of both applications.

Usage: describe.py FOLDER ISSUER
"""

import json
import pathlib
import shlex
import sys

folder = pathlib.Path(sys.argv[1])
issuer = sys.argv[2]


def application(name: str) -> dict[str, str]:
    organisation = (folder / f"{name}.organisation").read_text().strip()
    return {
        "client_id": f"https://rp.framework.example/{name}",
        "name": name,
        "organisation": organisation,
    }


member, service = application("member"), application("service")
described = {"issuer": issuer, "member": member, "service": service}
(folder / "framework.json").write_text(json.dumps(described))
settings = {
    "client_ca_file": folder / "ca.pem",
    "framework_issuer": issuer,
    "framework_introspection_url": f"{issuer}/token/introspection",
    "framework_directory_url": f"{issuer}/participants",
    "framework_organisation_id": service["organisation"],
    "framework_client_id": service["client_id"],
    "framework_certificate_file": folder / "service.pem",
    "framework_certificate_key_file": folder / "service.key",
    "framework_assertion_key_file": folder / "service.assertion.key",
    "framework_ca_file": folder / "ca.pem",
}
lines = (f"ONWARD_{name.upper()}={shlex.quote(str(value))}\n" for name, value in settings.items())
(folder / "settings.env").write_text("".join(lines))
