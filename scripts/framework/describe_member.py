"""Writes `member/sandbox.json` in the folder of a sandbox: its addresses as the framework's member uses them.

Usage: describe_member.py FRAMEWORK SANDBOX
"""

import json
import pathlib
import sys

framework, sandbox = (pathlib.Path(name).resolve() for name in sys.argv[1:])
described = json.loads((framework / "framework.json").read_text())
shown = json.loads((sandbox / "sandbox.json").read_text())
authorities = framework / "authorities.pem"
authorities.write_text(
    (sandbox / shown["ca_file"]).read_text() + (framework / "ca.pem").read_text()
)
member = {
    "name": "member",
    "client_id": described["member"]["client_id"],
    "scopes": ["transaction-status"],
    "branches": [],
    "certificate_file": str(framework / "member.pem"),
    "key_file": str(framework / "member.key"),
    "assertion_key_file": str(framework / "member.assertion.key"),
    "assertion_kid": "member",
    "assertion_alg": "RS256",
    "certificate_bound": True,
}
shown |= {
    "auth_url": described["issuer"],
    "ca_file": str(authorities),
    "clients": [member],
    "api_keys": [],
    "callback": {
        name: str(sandbox / path) for name, path in shown["callback"].items()
    },
}
folder = sandbox / "member"
folder.mkdir(exist_ok=True)
(folder / "sandbox.json").write_text(json.dumps(shown, indent=2))
