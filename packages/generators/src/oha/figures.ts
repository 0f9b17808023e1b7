/** The file oha writes its own report to, and the one with a row for each answer, in the job's folder. */
export const reportFile = "oha.json";
export const rowsFile = "oha.db";

/**
 * SQL over oha's table of answers: what its report lacks, and then the seal of the whole line (`sealed.ts`).
 *
 * `duration` is the latency oha reports: from the intended start where it corrects, else from the start (`db.rs`).
 */
export const figuresSql = (
  partS: number,
  corrects: boolean,
): string => `-- Written by gatebench. Reduces oha's table of answers to counts, and seals them together with oha's own report.
PRAGMA temp_store = MEMORY;

-- Microseconds, rounded up: a bucket is named by its upper edge.
CREATE TEMP TABLE answers AS
SELECT
  CAST(end / ${partS} AS INTEGER) AS part,
  (CAST(round(duration * 1e9) AS INTEGER) + 999) / 1000 AS us,
  count(*) AS n
FROM oha GROUP BY 1, 2;

CREATE TEMP TABLE line AS
WITH RECURSIVE
-- Microseconds up to 2047 stand for themselves; above, a bucket is at most 1/1024 wide and named by its upper edge.
bands(low, width) AS (VALUES (0, 1) UNION ALL SELECT 2048 * width, 2 * width FROM bands WHERE width < 1 << 30),
buckets AS (
  SELECT (us / width + 1) * width - 1 AS edge, sum(n) AS n
  FROM answers JOIN bands ON us >= low AND us < 2048 * width
  GROUP BY 1 ORDER BY 1
),
ranks AS (
  SELECT part, us, sum(n) OVER (PARTITION BY part ORDER BY us) AS seen, sum(n) OVER (PARTITION BY part) AS whole
  FROM answers
),
-- The rank oha itself takes for its percentiles, counted from 0: a hundredth of the answers, rounded down.
parts AS (
  SELECT part, whole, min(us) AS p99 FROM ranks WHERE seen > whole * 99 / 100 GROUP BY part ORDER BY part
),
codes AS (SELECT status, count(*) AS n FROM oha GROUP BY status),
totals AS (
  SELECT
    count(*) AS samples,
    count(start_latency_correction) AS corrected,
    coalesce(sum(CAST(round(duration * 1e9) AS INTEGER)), 0) AS sum_ns,
    coalesce(sum(len_bytes), 0) AS bytes
  FROM oha
)
SELECT json_object(
  'report', json(CAST(readfile('${reportFile}') AS TEXT)),
  'samples', samples,
  'corrects', json('${corrects}'),
  'corrected', corrected,
  'sumNs', sum_ns,
  'bytes', bytes,
  'statuses', (SELECT json_group_object(CAST(status AS TEXT), n) FROM codes),
  'histogram', (SELECT json_group_array(json_array(edge, n)) FROM buckets),
  'series', (SELECT json_group_array(json_array(part * ${partS}, whole, p99)) FROM parts)
) AS text FROM totals;
SELECT '@gatebench ' || text FROM line;

-- Adler-32 of the line: of its bytes b at 0 to n - 1, 1 + the sum of b, and n + the sum of (n - at) * b, modulo 65521.
CREATE TEMP TABLE chunks AS
WITH RECURSIVE chunk(at) AS (
  SELECT 0 UNION ALL SELECT at + 500 FROM chunk, line WHERE at + 500 < length(CAST(text AS BLOB))
)
SELECT at, hex(substr(CAST(text AS BLOB), at + 1, 500)) AS digits FROM chunk, line;
WITH RECURSIVE
places(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM places WHERE i < 499),
-- instr is 0 where a digit is not found: the digit 0.
bytes(at, byte) AS (
  SELECT
    at + i,
    16 * instr('123456789ABCDEF', substr(digits, 2 * i + 1, 1)) + instr('123456789ABCDEF', substr(digits, 2 * i + 2, 1))
  FROM chunks JOIN places ON 2 * i < length(digits)
),
sums AS (SELECT count(*) AS n, sum(byte) AS bytes, sum(at * byte) AS placed FROM bytes)
SELECT '@gatebench-seal ' || printf('%08x', (n + n * bytes - placed) % 65521 * 65536 + (1 + bytes) % 65521) FROM sums;
`;
