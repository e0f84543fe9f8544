select 1, 2147483648, 9223372036854775808, 1.5, -1, -2147483648, 1e10, 0x1F, 1_000
select 1+1, 1::int2+1, 1::int8+1::int2, 1+1.5, 1+1.5::float8, 1.5::float4*2, 1/2, 1%2, 2^3, 2.0^3
select '1'+1, 1.5+'2', '1'::int8 + '2'
select 'a'||'b', 'a'||1, 1||'a', 'a'::varchar||'b'::char(3), 1||2
select null, 'x', true, null::int
select a=b, a<b, a=1.5, d>1, c='x', c<'x' from t
select a=c from t
select b='x' from t
select 1='1', 1.5='1.5', 'a'='b', null=null, null='x'
select date '2024-01-01' - date '2023-01-01', date '2024-01-01' + 1, date '2024-01-01' + interval '1 day', date '2024-01-01' - '2023-01-01', timestamp '2024-01-01' - '1 day', timestamp '2024-01-01' - timestamp '2023-01-01'
select now() - interval '1 day', now() - '1 day'
select date '2024-01-01' = '2024-01-01', date '2024-01-01' = timestamp '2024-01-01'
select timestamp '2024-01-01' > '2023-01-01', '2023-01-01' < now()
select abs(-1), abs(-1.5), abs('1'), abs(1::int2), round(1.5), round(1.567, 2), round(1.5::float8), round('1.5'), ceil(1.2), sqrt(4), sqrt(4.0), power(2,3), power(2.0,3)
select length('abc'), upper('x'), lower('X'), substring('abc' from 2 for 1), position('b' in 'abc'), trim(both 'x' from 'xax'), overlay('abc' placing 'z' from 2), left('abc',2), concat('a',1,null), concat_ws(',', 'a', 1)
select upper(1)
select length(1)
select coalesce(1,2.5), coalesce('a','b'), coalesce(null,1), coalesce(1,'2'), coalesce(null,null)
select coalesce(1,'x')
select coalesce(1, true)
select case when true then 'a' else 1 end
select case when true then 1 when false then 2.5 end, case 1 when 1 then 'a' end, case when true then null end
select case 1 when 'x' then 2 end
select case 'a' when 1 then 2 end
select nullif(1,2), nullif('a','b'), nullif(1,2.5), nullif('1',1), nullif(null,1)
select nullif(1,'a')
select greatest(1,2.5), least('a','b'), greatest(1,null), greatest(date '2024-01-01','2023-01-01')
select greatest(1,'a')
select array[1,2], array[1,2.5], array['a','b'], array[[1,2],[3,4]], array[1,null], array[null], array[1,'2']
select array[]
select array[]::int[], array[]::text[], array['1']::int[], array[1,2]::text[], array[1.5]::int[]
select array[1,'a']
select array[1,true]
select row(1,2), row(1,'a'), (1,2), row()
select (row(1,2)).f3
select (1).f1
select 1 in (1,2), 1 in ('1',2), 'a' in ('b','c'), 1.5 in (1,2), 1 in (1.5, null)
select 1 in ('x')
select 1 in (true)
select (1,2) in ((1,2),(3,4))
select (1,2) in ((1,2,3))
select 1 between 0 and 2, 1 not between symmetric 2 and 0, 'a' between 'b' and 'c', date '2024-01-01' between '2023-01-01' and '2025-01-01'
select 1 between 'a' and 2
select 1 is distinct from 2, 1 is not distinct from null, (1,2) is distinct from (1,3), null is distinct from null
select 1 is null, null is null, row(1,null) is null, 'a' isnull
select true and null, not null, null or false
select 1 and true
select not 1
select true or 'x'
select 'a' like 'b', 'a' not like 'b', 'a' ilike 'b', 'a' like 'b' escape 'c', 'a' similar to 'b', c like 'x' from t
select 1 like 'a'
select 'a' ~ 'b', 'a' !~* 'b'
select 1 = any(array[1,2]), 1 = any('{1,2}'), 'a' = any(array['a']), 1 < all(array[1.5]), 1 = any(array[1::int8])
select 1 = any(1)
select 1 = any(array['a'])
select (array[1,2])[1], (array[1,2])[1:2], (array[[1,2]])[1][2], (array[1,2])[:2], (array[1])['1']
select (1)[1]
select (array[1])[true]
select '{"a":1}'::jsonb -> 'a', '{"a":1}'::jsonb ->> 'a', '[1]'::jsonb -> 0, ('{"a":1}'::jsonb)['a'], '{"a":1}'::jsonb #> '{a}'
select '1'::int, '1.5'::numeric, 'x'::text, '2024-01-01'::date, '{1,2}'::int[], 't'::bool, '1 day'::interval, '12:00'::time, 'a'::varchar(2), 'abc'::char(2), 'x'::name
select 'x'::int
select 'x'::bool
select '2024-13-01'::date
select 1::bool, true::int, 1.5::int, 1::text, 1::varchar(2), '1'::text::int, now()::date, 1::float8, 1.5::float4::float8
select 1::date
select true::float8
select 1::int[]
select 'x'::text::date
select array[1]::int
select now()::int
select '1'::numeric(5,2), 1.555::numeric(5,2), 1::numeric(5,2), '1'::numeric(3), 1::decimal
select count(*), count(a), count(distinct a), sum(a), sum(b), sum(d), avg(a), avg(d), min(c), max(d), min(a) from t
select sum(c) from t
select sum('1')
select count()
select count(*) filter (where a) from t
select min(distinct a order by a) from t
select string_agg(c, ',' order by c), array_agg(a), array_agg(a order by b desc), bool_and(a=1), every(true), stddev(a), variance(d) from t
select string_agg(distinct c, ',' order by a) from t
select string_agg(c) from t
select upper(distinct 'a')
select upper('a') over ()
select upper('a') filter (where true)
select upper(*)
select row_number() from t
select row_number() over (), rank() over (order by a), lag(a) over (order by a), lag(a, 1, 0) over (order by a), ntile(2) over (), first_value(c) over (), sum(a) over (), count(*) over (partition by b), percent_rank() over () from t
select sum(a) over w, avg(a) over (w order by b) from t window w as (partition by c)
select sum(a) over w from t
select sum(a) over (w partition by a) from t window w as (order by a)
select sum(a) over (w order by a) from t window w as (order by a)
select sum(a) over (w) from t window w as (order by a rows 1 preceding)
select sum(a) over (order by a range 1 preceding) from t
select sum(a) over (order by a,b range 1 preceding) from t
select sum(a) over (order by c range 1 preceding) from t
select sum(a) over (groups 1 preceding) from t
select sum(a) over (rows a preceding) from t
select sum(a) over (rows 'x' preceding) from t
select sum(row_number() over ()) from t
select row_number() over (order by row_number() over ()) from t
select sum(distinct a) over () from t
select lag(a) filter (where true) over () from t
select a from t having true
select a, count(*) from t group by b
select a from t group by a having b > 1
select b, count(*) from t group by b having sum(a) > 1 order by sum(a)
select b from t group by b order by a
select c from t group by b
select t.c, count(*) from t, u group by t.a
select u.x, t.c, count(*) from t, u group by t.a
select b as x from t group by x
select b as a from t group by a
select b+1 as k, count(*) from t group by k
select b from t group by 2
select b from t group by 'x'
select sum(a) from t group by 1
select b, grouping(b) from t group by rollup(b)
select b, c, grouping(b,c), sum(a) from t group by cube(b,c)
select b, c from t group by grouping sets ((b),(c),())
select grouping(a) from t group by b
select grouping(a) from t
select a from t where sum(a) > 1
select a from t where row_number() over () = 1
select a from t join u on sum(t.a) = u.a
select a from t limit count(*)
select generate_series(1,2) where generate_series(1,2) = 1
select sum(generate_series(1,2))
select case when true then generate_series(1,2) end
select coalesce(generate_series(1,2))
select generate_series(1,2), generate_series(1,3) order by 1
select generate_series(1, generate_series(1,3))
select unnest(array[1,2]) x, c from t order by x
select * from generate_series(1,3)
select * from generate_series(1,3) g
select * from generate_series(1,3) as g(x)
select g from generate_series(1,3) g
select g.g, g.* from generate_series(1,3) g
select * from generate_series(1,3) with ordinality
select * from unnest(array[1,2], array['a','b'])
select * from unnest(array[1,2], array['a','b']) with ordinality as z(p,q,r)
select * from rows from (generate_series(1,2), unnest(array['a'])) with ordinality
select * from abs(-1)
select * from abs(-1) x
select * from upper('a') with ordinality
select * from now()
select * from current_date
select * from sum(1)
select * from row_number() over ()
select * from generate_series(1, 'a')
select * from jsonb_each('{"a":1}')
select * from jsonb_each('{"a":1}') e
select key, value from jsonb_each_text('{"a":1}')
select jsonb_each('{"a":1}')
select (jsonb_each('{"a":1}')).*
select jsonb_array_elements('[1]')
select * from jsonb_array_elements('[1]')
select * from jsonb_array_elements('[1]') x(y)
select ((array[1,2,3])[2:3])[1], (array[[1,2],[3,4]])[1:2][2:2], ((array[[1,2],[3,4]])[1:2])[2:2], ((array[[1,2],[3,4]])[2:2])[1][2]
select ((array[1])[1])[1]
select (array[[1,2],[3,4]])[1:2][2]
select make_date(year => 2020, month => 1, day => 3)
select make_date(2020, day => 1, month => 3)
select make_date(year => 2020, 1, 3)
select make_date(year => 2020, year => 1, day => 3)
select make_date(year => 2020, nope => 1, day => 3)
select make_date(year => 2020, month => 1)
select make_interval(1, weeks => 2)
select make_interval(1, years => 2)
select jsonb_set('{}', path => '{b}', replacement => '2')
select jsonb_path_exists(target => '1', path => '$', silent => true)
select * from jsonb_each(from_json => '{"a": 1}')
select regexp_replace('abc', 'b', 'x', start => 3, "N" => 1)
select string_agg(value => c, delimiter => ',') from t
select upper(x => 'a')
select num_nulls(1, null, 'a'), num_nonnulls(variadic array[1])
select num_nulls()
select '2020-01-01 00:00+25'::timestamptz
select interval '1' day, interval '1' day to second(3), interval(2) '1', interval '1' hour to minute
select array[interval '1' day], cast('1' as interval year to month)
