"""A cluster that talks by TLS takes runs that have a certificate, and no others."""

import subprocess

import pytest
from cluster_runs import HELD

pytestmark = pytest.mark.cluster


@pytest.fixture
def certificates(tmp_path):
    """An authority, a certificate of it and the key of that, as files."""
    folder = tmp_path / "certificates"
    folder.mkdir()
    authority, authority_key, request, certificate, key = (
        folder / name for name in ("ca.pem", "ca.key", "own.csr", "own.pem", "own.key")
    )
    new = ("req", "-newkey", "rsa:2048", "-nodes", "-subj")
    openssl(*new, "/CN=authority", "-x509", "-days", "2", "-keyout", authority_key, "-out", authority)
    openssl(*new, "/CN=dask", "-keyout", key, "-out", request)
    signed = ("-CA", authority, "-CAkey", authority_key, "-CAcreateserial", "-days", "2", "-out", certificate)
    openssl("x509", "-req", "-in", request, *signed)
    return authority, certificate, key


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


@pytest.fixture
def secure_bed(bed, certificates):
    bed.dask.use_tls(*certificates)
    bed.dask.start_scheduler()
    bed.start_workers("one")
    bed.dask.wait_for_workers(1)
    return bed


def test_a_run_with_a_certificate_is_the_run_on_one_machine(secure_bed, certificates):
    names = ("tls_ca_file", "tls_client_cert", "tls_client_key")
    security = {"require_encryption": True, **dict(zip(names, map(str, certificates), strict=True))}
    run = secure_bed.start(
        {"driver": "dask", "address": secure_bed.dask.address, "connect_seconds": 60, "security": security}
    )
    secure_bed.require_finished(run)
    assert secure_bed.hosts_of(HELD) == ["one"]


@pytest.mark.parametrize(("scheme", "words"), [("tls", "executor.security"), ("tcp", "no scheduler answers at tcp://")])
def test_a_run_without_a_certificate_gets_one_line(secure_bed, scheme, words):
    address = secure_bed.dask.address.replace("tls", scheme)
    run = secure_bed.start({"driver": "dask", "address": address})
    assert run.wait() in (2, 4), secure_bed.output.read_text()
    said = secure_bed.output.read_text()
    assert words in said
    assert "Traceback" not in said
    assert len([line for line in said.splitlines() if line.startswith("Error")]) == 1
