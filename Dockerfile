# Outcrop with every extra, for `serve`, `mcp`, `worker` and the other commands.
# docs/howto/containers.md shows how to run it.

FROM python:3.12-slim-bookworm AS build
WORKDIR /source
# The compiler for the modules in C; it stays in this stage.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY native native
COPY src src
RUN python -m venv /opt/outcrop \
    && /opt/outcrop/bin/pip install --no-cache-dir '.[all]'

FROM python:3.12-slim-bookworm
LABEL org.opencontainers.image.title="Outcrop" \
      org.opencontainers.image.description="Exact chunks of Markdown and code, searched" \
      org.opencontainers.image.licenses="Apache-2.0"
# PostgreSQL does not run as root, and neither does anything else here.
RUN useradd --uid 10001 --create-home outcrop \
    && install --directory --owner outcrop --group outcrop /data
COPY --from=build /opt/outcrop /opt/outcrop
ENV PATH="/opt/outcrop/bin:$PATH" \
    PYTHONUNBUFFERED=1
USER 10001
# The project: documents are mounted below it, its index is in /data/.outcrop.
WORKDIR /data
VOLUME /data
EXPOSE 8321
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8321/health', timeout=4)"]
ENTRYPOINT ["outcrop"]
# An address that others reach needs OUTCROP_TOKEN; the server does not start without it.
CMD ["serve", "--host", "0.0.0.0"]
