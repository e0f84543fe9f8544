select * from t
select t.*, x from t, u
select (t).a from t
select (t).* from t
select nosuch from t
select t.bb from t
select tt.a from t
select a from t, u
select t.a from t as z
select * from t join u using (a)
select * from t natural full join u
select * from t left join u on t.a=u.a and u.x='k'
select * from t right join u on t.a=u.a
select a, (select max(u.a) from u where u.a = t.b) from t
select * from t where exists (select from u where u.a=t.a)
select * from t where a in (select a from u)
select * from t where (a,b) in (select a,a from u)
select * from t where a <> all (select a from u)
select * from t where a = any (array[1,2])
select * from t where a in (1,2,3)
select a from t group by b
select a, b, count(*) from t group by a
select count(*) from t where count(*) > 1
select sum(count(*)) from t
select b+1, count(*) from t group by b+1
select b+1, grouping(b+1), count(*) from t group by rollup(b+1, c)
select distinct b from t order by b
select distinct b from t order by a
select distinct on (b) b, a from t order by b, a desc
select distinct on (b) b, a from t order by a
select a, row_number() over (partition by b order by c) from t
select a, sum(b) over w from t window w as (order by a rows between 1 preceding and current row)
select rank() over () from t where rank() over () > 1
select generate_series(1,3)
select a, generate_series(1,a), unnest(array[1,2]) from t
select * from t, generate_series(1, t.a) g
select * from t left join lateral (select u.x from u where u.a=t.a limit 2) s on true
select * from t, (select t.a) s
select * from generate_series(1,3) with ordinality as g(n,o)
select * from rows from (generate_series(1,3), generate_series(1,5)) as z(a,b)
values (1,'a'),(2,null)
select 1 union select 2.5
select 'a' union select 1
select 1 union select c from t
select a from t union all select a from u order by a
select a from t intersect select a from u
select a from t except all select a from u
select a from t union select a from u order by a+1
with x as (select a from t) select * from x, x y
select case when a>1 then 1 else 2.5 end, coalesce(b, 0), nullif(a, 1), greatest(a, b) from t
select case when a then 1 end from t
select 'x'::int
select 1 + 'x'
select a + c from t
select foo(a) from t
select * from v
select t.a from t join u on t.a=u.a, v as w where w.a = u.a
select * from t, u join v on t.a=v.a
select (select sum(t.a)) from t
select (select count(*) from u where u.a = sum(t.a)) from t
select t.b, (select t.a) from t group by t.b
select 1 limit -1
select a from t order by 5
select a x, b x from t order by x
select percentile_cont(0.5) within group (order by b) from t
select string_agg(c, ',' order by a desc) from t
select count(distinct b) filter (where a>1) from t
select array(select a from t order by b desc)
select b from t group by 1
select current_date, now(), current_user
select a is null, a is distinct from b, b is true from t
select not (a=1 or b=2) and c is not null from t
select * from nosuch
select count(*) from t t1, t t1
select t.a, u.a from t join u on t.a = u.a
select * from t join u using (a)
select * from t natural join u
select * from t left join u using (a)
select * from t right join u using (a)
select * from t full join u using (a)
select a, t.a, u.a from t join u using (a)
select j.a, a from t join u using (a) as j
select j.* from (t join u using (a)) as j
select t.a from (t join u using (a)) as j
select j.p, j.b from (t join u using (a)) as j(p)
select * from t join u using (nosuch)
select * from t join u using (b)
select * from t join (t t2 cross join u) using (a)
select * from t join u on t.a = u.nosuch
select * from t join u on a = 1
select * from t join u on 1
select * from t, u join v on t.a = v.a
select * from t cross join lateral (select t.a + 1 as z) s
select * from t, lateral (select t.a + 1) s
select * from t, lateral (select t.a + 1) s(z)
select * from t, (select t.a + 1) s
select * from t, (select b) s
select * from t left join lateral (select * from u where u.a = t.a) s on true
select * from t right join lateral (select t.a) s on true
select * from t full join lateral (select t.a) s on true
select * from t right join generate_series(1,t.a) g on true
select * from t t1, t t2
select * from t, t
select * from t, u t
select * from t, s.t
select t1.* from t t1 (x, y)
select * from t t1 (x, y, z, w, q)
select x from t t1(x, y)
select t1.a from t t1(x, y)
select t.a from t t1
select public.t.a from t
select nosuch.t.a from t
select a.b.c.d.e from t
select nosuch from t
select t.nosuch from t
select bb from t
select aa from t, u
select t.aa from t, u
select dd, e from t, u
select nosuch.a from t
select t.* from t t1
select nosuch.* from t
select *
select * from nosuch
select * from nosuch.t
select t.t from t
select (t).* from t
select count(t) from t
select s from (select 1 as a, 2 as b) s
select (s).b from (select 1 as a, 2 as b) s
select * from (select 1)
select * from (select 1) x
select * from (select 1, 2) x(a)
select * from (select 1, 2) x(a,b,c)
select * from (values (1,'a'),(2,'b')) v
select * from (values (1,'a'),(2,'b')) v(x,y)
select * from (values (1,'a'),(2,3)) v
select * from (values (1),(2.5)) v
select * from (values (1),('a')) v
select * from (values (1,2),(3)) v
values (1,2),(3,4) order by column1 desc
values (1,2),(3,4) order by column1 + 1
values (1) order by nosuch
values (sum(1))
values (generate_series(1,2))
select (select 1)
select (select 1, 2)
select (select a from t)
select (select from t)
select a, (select max(u.a) from u where u.a = t.a) from t
select exists (select 1), not exists (select a from t where a = 1)
select a from t where a in (select a from u)
select a from t where a in (select x from u)
select a from t where a in (select a, x from u)
select a from t where (a, c) in (select a, x from u)
select a from t where (a, c) in (select a from u)
select a from t where (a, b, c) = any (select a, a, x from u)
select a from t where a > all (select a from u)
select a from t where a = any (select 'x')
select a from t where c = any (select 'x')
select a from t where a not in (select a from u where u.x = t.c)
select array(select a from t), array(select c from t order by a), array(select a, b from t)
select (select sum(t.a) from u) from t
select (select sum(u.a) from u where u.a = t.a) from t group by t.a
select (select t.b) from t group by t.a
select (select u.a from u where u.a = t.b limit 1), count(*) from t group by t.c
select (select count(t.a)) from t
select 1 from t where exists (select 1 from u where sum(t.a) = 1)
select 1 from t having exists (select 1 from u where sum(t.a) = u.a)
select 1 union select 2
select 1 as x union select 2 as y
select 1 union select 'a'
select 'a' union select 'b'
select 'a' union select 1
select null union select 1
select null union select null
select 1 union select 2.5 union select 3
select 1, 2 union select 1
select 1 union select true
select a from t union all select a from u
select a, c from t except select a, x from u
select a from t intersect all select a from u order by 1
select a from t union select a from u order by a
select a as z from t union select a from u order by z desc limit 1
select a from t union select a from u order by b
select a from t union select a from u order by a + 1
select a from t union select a from u order by 2
(select a from t order by b limit 1) union (select a from u limit 1)
(select a from t limit 1) order by a
select d from t union all select 1
select d from t union all select d from t
select d from t union all select 1.555
select 'a'::varchar(2) union select 'b'::varchar(2)
select 'a'::varchar(2) union select 'b'::varchar(3)
select a from t order by b
select a from t order by 1, 2
select a from t order by 'x'
select a from t order by 1.5
select a as b from t order by b
select a as x, b as x from t order by x
select a as x, a as x from t order by x
select a from t order by nosuch
select a + 1 as z from t order by z + 1
select a from t order by sum(a)
select distinct a from t order by a
select distinct a from t order by b
select distinct a, b from t order by b, a
select distinct on (a) a, b from t
select distinct on (a) a, b from t order by a, b
select distinct on (a) a, b from t order by b
select distinct on (a, b) a from t order by b, a, c
select distinct on (a, b) a from t order by a, c
select distinct on (1) a from t
select distinct on (2) a from t
select distinct a+1 as z from t order by a+1
select a from t limit 1
select a from t limit 'x'
select a from t limit '1'
select a from t limit null
select a from t limit 1.5
select a from t limit true
select a from t limit a
select a from t limit -1
select a from t offset 1 rows fetch first 2 rows only
select a from t limit (select 1)
with x as (select a from t) select * from x
with x(p) as (select a, b from t) select * from x
with x(p,q,r) as (select a, b from t) select * from x
with x as (select 1), x as (select 2) select * from x
with x as (select 1 as n), y as (select n + 1 as m from x) select * from x, y
with t as (select 1 as q) select * from t
select * from (with x as (select 1 as n) select * from x) s
with x as (select 1 as n) select (select n from x), n from x
with x as (select 'a' as n) select n from x union select 'b'
with x as (select a from t) select * from u where a in (select a from x)
select a from t where a
select a from t where c
select a from t where 'x'
select a from t where null
select a from t where 't'
select a from t group by a, b
select all a from t
select t.a as "A b" from t
select count(*) from t group by ()
select 1 group by ()
select 1 having true
select b, count(*) from t group by distinct rollup(b), cube(b)
select coalesce(b, 0), count(*) from t group by coalesce(b, 0)
select coalesce(b, 1), count(*) from t group by coalesce(b, 0)
select b + 1, b from t group by b
select b + a from t group by b
select c collate "C" from t
select a collate "C" from t
select c collate "nosuch" from t
select current_date, current_timestamp, current_timestamp(2), localtimestamp, localtime, current_user, session_user, current_catalog, current_schema
select extract(year from now()), date_trunc('day', now()), extract(epoch from interval '1 day')
select int4('1'), text(1), date('2024-01-01'), float8(1), numeric(1), int8(1.5), varchar('a'), timestamp '2024-01-01'
select foo(1, 'a')
select nosuch.foo(1)
select pg_catalog.abs(1)
select pg_catalog.abs('x'::text)
select date_trunc('day', '2024-01-01')
select - 'x'::text
select -'1'
select @ 1
select 1 <=> 2
select 1 operator(pg_catalog.+) 2
select abs(a => 1)
select concat(variadic array['a','b'])
select sum(a) within group (order by a) from t
select percentile_cont(0.5) within group (order by a), percentile_disc(0.5) within group (order by c), mode() within group (order by c) from t
select percentile_cont(0.5) from t
select percentile_cont(array[0.5, 0.9]) within group (order by a) from t
select 'a' as x where x = 'a'
select sum(a) as s from t where s > 1
select a.x from (select 1 x) a, (select 2 x) b where x = 1
select 1::nosuch
select 1::s.nosuch
select 1::numeric(5,2,1)
select 'a'::varchar(0)
select 'a'::varchar(99999999)
select 1::int4(3)
select array[1,2]::int4(3)
select array[1,2]::int[] || 3, array[1] || array[2.5], 'a' || array['b'], array[[1]] || array[2]
select 1 || array['a']
select (1,2) = 3
select (1,2) = (1,'a')
select row(1,2) = row(1)
select row(1,2) = row(1,'x'::text)
select '(1,a)'::pair, row(1,'a')::pair, (row(1,'a')::pair).x, (row(1,'a')::pair).y
select (row(1,'a')::pair).z
select row(1,2,3)::pair
select row('x','a')::pair
select * from s.t
select flag, items[1], j->'a', at + interval '1 day' from s.t
select s.t.flag from s.t
select items || 1, items || items, 1 = any(items), array_length(items, 1), unnest(items) from s.t
select j ->> 'a', j -> 0, j #>> '{a,b}', j @> '{"a":1}', j ? 'a' from s.t
select j + 1 from s.t
select items + 1 from s.t
select sum(flag) from s.t
select bool_or(flag), array_agg(items), count(j) from s.t
select * from t, s.t where a = 1
select t.a from t, s.t
select public.t.a, s.t.flag from public.t, s.t
select case flag when true then 1 else 'x' end from s.t
select case when flag then items else '{1}' end from s.t
select coalesce(items, '{}'), coalesce(items, '{a}') from s.t
select greatest(at, '2024-01-01'), least(at, now()) from s.t
select a from t where b in ('1', 2, 3.5)
select a from t where c in ('x', null)
select a from t where c in (1, 2)
select avg(b), avg(d), avg(1.5::float4), sum(1.5::float4), sum(1::int2), sum(interval '1 day'), avg(interval '1 day'), max('a'), max('a'::varchar), min(date '2024-01-01') from t
select count(distinct a, b) from t
select array_agg(distinct a order by a), string_agg(distinct c, ',') from t
select string_agg(c, a) from t
select string_agg(a, ',') from t
select jsonb_agg(a), jsonb_object_agg(c, a), jsonb_build_object('a', 1), to_jsonb(1) from t
select a from t order by a using >
select round(1.5, 'x')
select round('x')
select substring('abc', 'b'), substring(1, 2)
select lpad('a', 3), lpad('a', 3, 'x'), lpad(1, 3)
select date_part('year', date '2024-01-01'), date_part('year', '2024-01-01')
select 'a' < 1
select 'a'::text < 1
select '1'::text::int + 1, '1'::varchar = 1
select interval '1 day' * 2, 2 * interval '1 day', interval '1 day' / 2, -interval '1 day', interval '1 day' + date '2024-01-01', '1 day' + date '2024-01-01'
select date '2024-01-01' - interval '1 day', time '12:00' + interval '1 hour', timestamp '2024-01-01' - date '2023-01-01', date '2024-01-01' + time '12:00'
select date '2024-01-01' + date '2024-01-01'
select date '2024-01-01' + 'x'
select 1 + null, null + null, null || 'a', -null
select ~1, 1 & 2, 1 | 2, 1 # 2, 1 << 2, @ -1, |/ 4, 5 % 2
select 1::int2 / 2::int2, 1::int8 * 2::int4, 1.5 / 2, 1::float4 / 2::float8, 2 ^ 3, 2::numeric ^ 3, mod(5, 2), mod(5.5, 2)
select 1 / 2.0::float4, 1::int2 + 1.5::float4, 1::int8 + 1.5::float4, 1.5::numeric + 1.5::float4
select 'abc' ~ 'b', 'abc' ~* 'B', 'abc' similar to 'a%', 'abc' !~ 'x'
select regexp_replace('a', 'b', 'c'), regexp_match('a', 'b'), regexp_matches('a', 'b'), regexp_split_to_array('a', 'b')
select * from regexp_matches('a', 'b')
select * from regexp_split_to_table('a b', ' ') as x
select generate_series('2024-01-01'::timestamp, '2024-01-02', '1 hour')
select generate_series(1, 2.5), generate_series(1::int8, 2), generate_series(date '2024-01-01', date '2024-01-02', interval '1 day')
select generate_series(1, 'x')
select a, b from t group by 1, 2 having count(*) > 1 order by 2, 1
select t.a + u.a as s, count(*) from t join u on true group by s
select a as c, count(*) from t group by c
select count(*) as n from t group by n
select a, max(b) filter (where c = 'x') over (partition by d) from t
select sum(count(*)) over () from t
select sum(sum(a)) from t
select b, sum(a) over () from t group by b
select rank() over (order by count(*)) from t group by b
select lag(a, 'x') over () from t
select lag(a, 1, 2.5) over (), lag(b, 1, 2) over (), lag(c, 1, 'x') over () from t
select lag(a, 1, 'x') over () from t
select nth_value(a, 2) over (), last_value(c) over (order by a) from t
select a from t window w as (order by nosuch)
select a from t window w as (order by a), w as (order by b)
select sum(a) over (order by a rows between unbounded preceding and 1 following) from t
select sum(a) over (order by a range between '1' preceding and current row) from t
select sum(a) over (order by e range between '1 day' preceding and current row) from u
select sum(a) over (order by a rows between 1.5 preceding and current row) from t
select * from (select a from t) x join (select a from u) y using (a) where x.a = 1
select a from (select a, b from t) x group by a
select x.a from (t join u using (a)) x
select * from (t cross join u) x
select * from t join u on t.a = u.a join v on v.a = t.a
select * from t join u using (a) join v using (a)
select * from t left join (u join v using (a)) on t.a = u.a
select * from t natural join v natural join u
select t.a from t, lateral (select * from u where u.a = t.a) s, lateral (select s.x) z
select * from t, lateral (select t2.a from t t2 where t2.a = t.nosuch) s
select (select (select t.a)) from t
select (select (select max(t.a) from u)) from t
select (select t.a from u group by t.a) from t
select (select u.a from u group by u.x) from t
select a from t where a = (select max(b) from t t2 where t2.c = t.c)
select exists(select * from nosuch)
select a from t where exists (select nosuch from u)
select a from t where a in (select t.nosuch from u)
select a from t where a > any (array[1,2]) and a < all ('{1,2}')
select a from t where a = any (select array[1,2])
select array_agg(x) from (select a as x from t union all select 1) s
select 1 union all select null union all select '2'
select null union all select null union all select 1
select '1' union all select '2' union all select 3
select array[1] union select '{2}'
select array[1] union select array['a']
select date '2024-01-01' union select timestamp '2024-01-01'
select a from t union select c from t
select a, b from t intersect select a from u
select 1 as x, 2 as y union select 3, 4 order by y, x
values (1), (2.5), ('3')
values (1, 'a'), ('b', 2)
values (null), (null)
select * from (values (date '2024-01-01'), ('2024-02-01')) v(d)
select column1 from (values (1)) v
select v.column2 from (values (1, 2)) v
select not a from t
select a and b from t
select case when a = 1 then b end + 1 from t
select coalesce(a, b), coalesce(b, d), coalesce(d, 1.5::float8), coalesce(c, a::text) from t
select coalesce(a, c) from t
select nullif(c, a) from t
select d::int, d::text, d::float8, d::numeric(5,1), a::numeric, b::numeric(20,2) from t
select c::int, c::date, c::jsonb, c::bool, c::varchar(3), c::char(5), c::bytea from t
select a::date from t
select a::bool, b::bool from t
select t::text from t
select t.*::text from t
select count(*) from t, u, v
select a as "select", b as "B" from t
select "A" from t
select t."a", "t".b from "t"
select T.A from T
select * from jsonb_to_recordset('[{"a":1,"b":"x"},{"a":null,"c":2}]') as r (a int, b text, c jsonb)
select * from jsonb_to_record('{"a":1,"b":"x"}') as r (a int, b text)
select t.a, r.* from t, jsonb_to_recordset('[{"q":1},{"q":2}]') as r(q int) where q = t.a
select '{{1,2},{3,4}}'::int[], ('{{1,2},{3,4}}'::int[])[2][1], array_length('{{1,2,3}}'::int[], 2)
select * from abs(1) as x(y int)
select unnest('{{1,2},{3,4}}'::int[])
select make_interval(days => 3), make_interval(1, months => 2), make_interval(secs => 1.5)
select make_interval(nosuch => 3)
select (select * from (select 1 as z) s), (select 1 union select 1), (select a from t where false)::text, (values (1)), (select 1)
select case when true then 1 else (select 1 as k) end
select a from t order by b fetch first 2 rows with ties
select a from t order by b offset 1 fetch first (1 + 1) rows with ties
select a from t fetch first 2 rows with ties
select a from t order by b fetch first null rows with ties
select percentile_cont(a) within group (order by b) from t
select percentile_cont(a / 10.0) within group (order by b) from t group by a
select percentile_cont(a / 10.0) within group (order by b) from t group by a / 10.0
select percentile_cont(b / 10.0) within group (order by a) from t group by a
select rank(a) within group (order by a) from t
select rank(b) within group (order by c) from t group by b
select unnest(array[1, 2]) from t group by 1
select count(*) from t group by generate_series(1, 2)
select count(*), generate_series(1, a) + 1 from t group by generate_series(1, a)
select count(*), generate_series(1, a) from t group by generate_series(1, a) + 1
select t from t
select x from t as x (p, q)
select t from s.t
select (t).zz from t
select (x).zz from (select 1 as a) x
select t from t union all select row(1, 2::bigint, 'c'::text, 3::numeric(10, 2))
select array_agg(t) from t
select max(t) from t
select (array_agg(t))[1] from t
select v from v
with t as (select 1 as a) select t from t
