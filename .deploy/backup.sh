#!/usr/bin/env bash
# One backup of the PostgreSQL database that PGHOST, PGUSER, PGDATABASE and PGPASSWORD name, with the secrets and the list
# of what was erased in /data, into /backups (both as SECRETS and BACKUPS); the 14 newest stay. The service's metrics then
# say how old the last one is.
set -euo pipefail
umask 077
backups=${BACKUPS:-/backups} secrets=${SECRETS:-/data}
file=$backups/ninefold-$(date -u +%Y%m%dT%H%M%SZ).dump
trap 'rm -f "$file.part"' EXIT
pg_dump --format=custom --file="$file.part"
cp --preserve=mode "$secrets"/key-secret* "$secrets"/ledger-key "$backups"
if [ -e "$secrets"/erased ]; then cp --preserve=mode "$secrets"/erased "$backups"; fi
mv "$file.part" "$file"
psql --quiet --set=ON_ERROR_STOP=1 --command="INSERT INTO heartbeat VALUES (3, extract(epoch FROM now()))
    ON CONFLICT (id) DO UPDATE SET at = excluded.at"
find "$backups" -name 'ninefold-*.dump' | sort --reverse | tail --lines=+15 | xargs --no-run-if-empty rm --
