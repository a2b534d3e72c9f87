# Adjacent in a container; deploy/README.md says how to run it.
#
#   docker build -t adjacent .
#   docker build -t adjacent --platform linux/arm64 .
#
# The base image needs Node 20.19 or later with npm, and Debian's apt-get for the compiler: node:24-bookworm-slim has
# both, for amd64 and arm64. For reproducible builds, name it by digest (node@sha256:…).
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim

# This stage has a compiler for two addons (usearch is prebuilt), built for this base image and the target platform.
FROM ${NODE_IMAGE} AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 make g++ \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY package.json package-lock.json ./
# Builds from source with the headers of this Node, so that only npm's registry is contacted.
RUN ONNXRUNTIME_NODE_INSTALL=skip npm_config_build_from_source=better-sqlite3 \
    npm_config_nodedir="$(node -p 'path.resolve(process.execPath, "../..")')" \
    npm ci --no-audit --no-fund --loglevel=error
COPY . .
RUN node server/setup.mjs
# The commit that the release states (release.json).
ARG COMMIT=unknown
ARG SOURCE_DATE_EPOCH=0
RUN node dist/release/folder.js /release --commit "${COMMIT}" --time "${SOURCE_DATE_EPOCH}"

# This stage has no compiler: only a release, directories for the data, and an unprivileged user.
FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="Adjacent" \
      org.opencontainers.image.description="A self-hosted ad server for conversations" \
      org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /opt/adjacent
COPY --from=build /release ./
COPY deploy/healthcheck.mjs ./deploy/
# New volumes inherit owner and mode.
RUN install -d -o 1000 -g 1000 -m 0700 /data /backups
# HOST: with a local BASE_URL, the server would listen only inside the container. npm: its log directory is not writable.
# SQLITE_TMPDIR: SQLite sorts on the volume, because /tmp is in memory and too small for the sums of a large ledger.
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    OPS_PORT=3001 \
    DATA_DIR=/data/adjacent \
    SQLITE_TMPDIR=/data \
    npm_config_logs_max=0 \
    npm_config_update_notifier=false
# Numeric, because Kubernetes cannot verify that a user name is not root.
USER 1000:1000
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 CMD ["node", "deploy/healthcheck.mjs"]
# A core dump would contain conversations. prlimit execs the server, which as process 1 shuts down gracefully on SIGTERM.
ENTRYPOINT ["prlimit", "--core=0", "--"]
CMD ["node", "--enable-source-maps", "dist/server/main.js"]
