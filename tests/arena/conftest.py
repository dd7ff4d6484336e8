"""Databases for tests of the store: SQLite, and a PostgreSQL server of its own for as long as the tests last."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
import sqlalchemy as sql


@pytest.fixture(scope="session")
def postgres():
    """The address of a server that only this machine's users of a folder can reach; None where there is none."""
    places = [os.environ.get("PATH", ""), *sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")))]
    found = {name: shutil.which(name, path=os.pathsep.join(places)) for name in ("initdb", "pg_ctl")}
    if not all(found.values()):
        pytest.skip("there is no PostgreSQL here: apt-get install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="turnsmith-postgres-"))  # a socket's path must be short
    data = folder / "data"
    become = []
    if os.getuid() == 0:  # which PostgreSQL refuses to run as
        shutil.chown(folder, "nobody")
        become = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
    options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off -c shared_buffers=16MB"

    def run(name, *words):
        command = [*become, str(Path(found[name]).resolve()), "-D", str(data), *words]
        done = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 0, done.stderr

    try:
        run("initdb", "-U", "turnsmith", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        run("pg_ctl", "start", "-w", "-l", str(folder / "log"), "-o", options)
        yield f"postgresql://turnsmith@/{{}}?host={folder}"
    finally:
        if (data / "postmaster.pid").exists():
            run("pg_ctl", "stop", "-m", "immediate")
        shutil.rmtree(folder)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """The address of an empty database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/s.db"
        return
    server = request.getfixturevalue("postgres")
    admin = sql.create_engine(server.format("postgres").replace("://", "+psycopg://"), isolation_level="AUTOCOMMIT")
    name = f"t{os.urandom(8).hex()}"
    with admin.connect() as db:
        db.execute(sql.text(f"create database {name}"))
    yield server.format(name)
    with admin.connect() as db:
        db.execute(sql.text(f"drop database {name} with (force)"))
    admin.dispose()
