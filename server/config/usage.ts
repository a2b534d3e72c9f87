/** Output of `npm start -- --help`: one line per setting in `SETTINGS`, as in the table of `server/README.md`. */
export const USAGE = `Usage: npm start -- [options]

Serves the live catalogue; if there is none yet, indexes the sample catalogue first. Every option may also be set in the
environment or in .env, under the name beside it; options override both.

  --port N               PORT               port; 0: any free one (default: 3000)
  --host ADDRESS         HOST               address to listen on (default: all; only this machine if BASE_URL is localhost)
  --ops-port N           OPS_PORT           separate port for /metrics, /readyz, /healthz (default: the main port)
  --ops-host ADDRESS     OPS_HOST           address of OPS_PORT (default: 127.0.0.1)
  --ops-dashboard on|off OPS_DASHBOARD      dashboard and report API on OPS_PORT, and only there (default: off)
  --base-url URL         BASE_URL           public base URL; may have a path (default: http://localhost:PORT)
  --trust-proxy N        TRUST_PROXY        proxies in front whose X-Forwarded-For is trusted (default: 0)
  --workers N            WORKERS            encoder threads (default: the cores, at most 4)
  --data-dir DIR         DATA_DIR           snapshots, images, keys, ledger (default: ./data)
  --admin-token TEXT     ADMIN_TOKEN        signs in at /admin/ (default: made once, printed once, kept in DATA_DIR)
  --signing-keys LIST    SIGNING_KEYS       keys of request ids (default: made and kept in DATA_DIR)
  --installation NAME    INSTALLATION       name in request ids: set when an installation moves (default: DATA_DIR's own)
  --demo on|off          DEMO               demo page and its test key (default: on if BASE_URL is localhost)
  --currency CODE        CURRENCY           currency of all money; fixed once events exist (default: USD)
  --time-zone ZONE       TIME_ZONE          time zone of all days; fixed once events exist (default: UTC)
  --database-url URL     DATABASE_URL       PostgreSQL that several nodes share (default: none, only DATA_DIR)
  --search WHERE         SEARCH             memory or pgvector: where vectors are searched (default: memory)
  --reports-database-url URL REPORTS_DATABASE_URL  a replica of DATABASE_URL for reports (default: itself)
  --profile NAME         PROFILE            quality or fast: which bundled encoder (default: quality)
  --languages WHICH      LANGUAGES          all or en: conversations that get ads, in covered languages or English (default: all)
  --model NAME           MODEL              another encoder (default: the profile's)
  --floor X              FLOOR              min score of a served ad, 0 to 1 (default: fitted with the model)
  --log-level LEVEL      LOG_LEVEL          trace, debug, info, warn, error, fatal or silent (default: info)
  --max-body BYTES       MAX_BODY           largest request body (default: 262144)
  --impression-hours N   IMPRESSION_HOURS   how long after its ad an impression counts (default: 24)
  --click-days N         CLICK_DAYS         how long after its ad a click counts (default: 30)
  --clicks-per-hour N    CLICKS_PER_HOUR    max clicks of one address that count; 0: no limit (default: 120)
  --country-header NAME  COUNTRY_HEADER     header in which the proxy names the client's country (default: none)
  --data-centres FILE    DATA_CENTRES       address ranges, one per line, from which no click counts (default: none)
  --keep-events-days N   KEEP_EVENTS_DAYS   how long raw events are kept (default: 90)

Other users of the machine can see options: keep secrets, such as a DATABASE_URL with a password, in the environment or .env.

Example: npm start -- --port 8080 --base-url https://ads.example --trust-proxy 1 --data-dir /var/lib/adjacent
`;
