#!/usr/bin/env python3
"""Query an Onward sandbox for property chains with the client library, which verifies the answer."""

import argparse
import json
import sys
from pathlib import Path

from onward_client import Client, OnwardError


def main() -> None:
    options = parse_options()
    file = options.sandbox / "sandbox.json"
    with Client.from_sandbox(file) as client:
        if options.address:
            answer = client.query_addresses(options.address)
        else:
            sample = json.loads(file.read_text("utf-8"))["samples"]["uprn_in_chain"]
            answer = client.query_uprns(options.uprn or [sample])
    for chain in answer.chains:
        print(f"{chain.queried_address}: {chain.chain_summary.chain_type}, "
              f"{chain.chain_summary.chain_length} properties")
        for entry in reversed(chain.properties):  # from the top to the bottom
            print(f"  {entry.uprn}  {entry.address.display_address}")
    print(f"signature verified: key {answer.provenance.kid}")


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sandbox", type=Path, default="onward-sandbox", metavar="DIR",
                        help="the sandbox's directory (default: ./onward-sandbox)")
    values = parser.add_mutually_exclusive_group()
    values.add_argument("--uprn", action="append", type=int, metavar="N",
                        help="the UPRN of a property (repeatable)")
    values.add_argument("--address", action="append", metavar="TEXT",
                        help="the address of a property (repeatable)")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main()
    except OnwardError as error:
        sys.exit(f"query.py: {error}")
