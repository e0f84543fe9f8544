-- literals
SELECT 1, -1, 1.5, -2.25, 1e10, .5, 0x1F, 1_000, 2147483647, 2147483648, -2147483648, 99999999999999999999
SELECT 'a', 'it''s', E'a\nb', $$dollar $ quoted$$, $tag$nested $$ here$tag$, U&'d\0061t\+000061', N'n'
SELECT true, false, NULL, B'0101', X'1FF'
SELECT date '2024-01-01', timestamp '2024-01-01 00:00', timestamptz 'now', time '12:00', int4 '1', bool 't'
SELECT interval '1 day', interval '1' year, interval '1-2' year to month, interval '1' day to second(3), interval(3) '1 second'
SELECT float8 '1.5', numeric(10, 2) '1.5', "char" 'c', mytype 'x', s.mytype 'x'
SELECT $1, $2::int
-- operators
SELECT a + b - c * d / e % f ^ g, -a, +b, - (- c), a - -1, (a + b) * c, a - (b - c)
SELECT a = b, a <> b, a != b, a < b, a > b, a <= b, a >= b
SELECT a || b, a -> 'x' ->> 'y', a #> '{x}', a #>> '{x}', a @> b, a <@ b, a ? 'k', a ?| b, a ?& b, a @@ b, a && b
SELECT a & b, a | b, a # b, ~ a, a << 1, a >> 2, @ a, |/ b, ||/ c
SELECT a OPERATOR(pg_catalog.+) b, OPERATOR(s.@@@) c, a ~ 'x', a ~* 'x', a !~ 'x', a !~* 'x', a ^@ 'x'
SELECT a AND b OR NOT c AND (d OR e), (a AND b) AND c, a AND (b AND c), a OR (b OR c), NOT NOT a, NOT (a AND b)
SELECT (a = b) = c, a = (b = c), (a < b) IS NULL, (a IS NULL) = b, (a = b) IS TRUE
SELECT - a ^ 2, (- a) ^ 2, - (a ^ 2), (-1) ^ 2, 2 ^ -1, -1::int, (-1)::int, - a::int
SELECT @ a + b, (@ a) + b, @ (a || b), (@ a) || b
-- tests
SELECT a IS NULL, a IS NOT NULL, a ISNULL, a NOTNULL, a IS TRUE, a IS NOT TRUE, a IS FALSE, a IS NOT FALSE, a IS UNKNOWN, a IS NOT UNKNOWN
SELECT a IS DISTINCT FROM b, a IS NOT DISTINCT FROM b
SELECT a BETWEEN 1 AND 2, a NOT BETWEEN 1 AND 2, a BETWEEN SYMMETRIC 2 AND 1, a NOT BETWEEN SYMMETRIC 1 AND 2, a BETWEEN b + 1 AND c + 2 AND d
SELECT a LIKE 'x%', a NOT LIKE 'x', a ILIKE 'x', a NOT ILIKE 'x', a LIKE 'x' ESCAPE '!', a NOT ILIKE 'x' ESCAPE ''
SELECT a SIMILAR TO 'x', a NOT SIMILAR TO 'x', a SIMILAR TO 'x' ESCAPE '!'
SELECT a IN (1, 2, 3), a NOT IN (1), (a, b) IN ((1, 2), (3, 4)), a IN (SELECT b FROM t), a NOT IN (SELECT b FROM t)
SELECT a = ANY (b), a <> ALL (b), a < SOME (ARRAY[1, 2]), a = ANY (SELECT 1), a > ALL (SELECT 1), a LIKE ANY (b), a NOT ILIKE ALL (b), (a, b) = ANY (SELECT 1, 2)
SELECT a OPERATOR(pg_catalog.=) ANY (b), a + 1 = ANY (b), (a = ANY (b)) IS NULL
SELECT EXISTS (SELECT 1), NOT EXISTS (SELECT FROM t), (SELECT 1), (SELECT 1) + 1, ARRAY(SELECT 1), (a, b) = (SELECT 1, 2)
SELECT 'a' IS NORMALIZED, 'a' IS NOT NFKC NORMALIZED
SELECT (a, b) OVERLAPS (c, d)
-- choices
SELECT CASE WHEN a THEN 1 WHEN b THEN 2 ELSE 3 END, CASE a WHEN 1 THEN 'x' END, CASE WHEN a THEN CASE b WHEN 1 THEN 2 END END
SELECT coalesce(a, b, 1), greatest(a, 1), least(1, 2, 3), nullif(a, b)
-- casts
SELECT a::int, CAST(a AS int), a::int::text, (a + b)::numeric(10, 2), a::text COLLATE "C", CAST(a AS varchar(10))
SELECT a::smallint, a::bigint, a::real, a::double precision, a::decimal, a::float, a::float(20), a::boolean, a::bool
SELECT a::char, a::char(3), a::character varying, a::varchar(5), a::text, a::name, a::"char", a::bpchar, a::bytea
SELECT a::bit, a::bit(3), a::bit varying, a::bit varying(3), a::json, a::jsonb, a::uuid, a::oid, a::regclass
SELECT a::date, a::time, a::time(3), a::time with time zone, a::timestamp(3), a::timestamp with time zone, a::timestamptz(6)
SELECT a::interval, a::interval(3), a::interval day to second(2), a::interval hour to minute
SELECT a::int[], a::int[3][], a::int ARRAY, a::int ARRAY[4], a::text[][], a::s.t, a::db.s.t(1, 2), a::uint8, a::mz_timestamp
SELECT a::int list, a::text list list, a::int[] list, a::int list[], a::map[text => int], a::map[text=>map[text=>int list]], CAST(a AS numeric(3, 1) list)
SELECT int '1' AS list_, '{1}'::int list AS l, '{a=>1}'::map[text=>int] -> 'a' FROM t
-- collections
SELECT ARRAY[1, 2], ARRAY[[1, 2], [3, 4]], ARRAY[]::int[], ARRAY[ARRAY[1]]
SELECT LIST[1, 2], LIST[[1], [2, 3]], LIST[]::int list, LIST[LIST[1]], LIST(SELECT 1), LIST[a + 1, LIST[b]] || c
SELECT MAP['a' => 1, 'b' => 2], MAP[]::map[text=>int], MAP['a' => MAP['b' => 1]], MAP['a' => ['b' => 1]], MAP(SELECT 'a', 1), MAP['k' => LIST[1]]
SELECT ROW(1, 2), ROW(), ROW(a), (1, 2), ((a, b)).f1, ROW(t.*)
SELECT a[1], a[1][2], a[1:2], a[:2], a[1:], a[:], (a).b, (a).b.c, (a.b).c, (a).*, a[1].b, (f(x)).y, (f(x))[1], (a).b[1], $1[2], (SELECT x)[1], (ARRAY[1, 2])[1], "list"[1]
-- calls
SELECT f(), f(1, 'a'), s.f(a), count(*), count(DISTINCT a), array_agg(a ORDER BY b DESC, c), string_agg(DISTINCT a, ',' ORDER BY a)
SELECT sum(a) FILTER (WHERE b > 1), percentile_cont(0.5) WITHIN GROUP (ORDER BY a), mode() WITHIN GROUP (ORDER BY b DESC) FILTER (WHERE c)
SELECT f(VARIADIC a), f(1, VARIADIC ARRAY[2]), f(a => 1, b => 2), f(1, b := 2)
SELECT extract(year FROM a), extract('epoch' FROM a), position('a' IN b), substring(a FROM 1 FOR 2), substring(a FROM 'x'), substring(a, 1, 2), substring(a SIMILAR 'x' ESCAPE '#')
SELECT overlay(a PLACING b FROM 1 FOR 2), trim(a), trim(BOTH 'x' FROM a), trim(LEADING FROM a), trim(TRAILING 'y' FROM a), normalize(a, NFC)
SELECT a AT TIME ZONE 'UTC', (a AT TIME ZONE b) AT TIME ZONE c, (a + b) AT TIME ZONE 'x', timezone('UTC', a), a AT LOCAL
SELECT current_date, current_time, current_time(2), current_timestamp, current_timestamp(3), localtime, localtime(0), localtimestamp, localtimestamp(1)
SELECT current_role, current_user, user, session_user, current_catalog, current_schema, current_schema(), now(), mz_now()
SELECT a COLLATE "en_US", a COLLATE pg_catalog."C" || b, (a || b) COLLATE "C"
SELECT "left"(a, 1), "coalesce"(a), "user", "options"(1), "map"(a), "of"
