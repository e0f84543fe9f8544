select a from t order by a limit (select 2)
select a, (select x from u where u.a <= t.a order by x limit t.a offset 0) from t where a < 2
select a from t where (a, b) = (select 1, 10)
select a from t where (a, b) < (select 2, 10)
select a from t where (a, b) = (select a, a from u where false)
select a from t where (a,b) = (select 1,2,3)
with x as (select a from t) select a from x order by a limit (select count(*) from x) - 2
select b, c, sum(a), grouping(b,c) from t group by cube(b,c) order by 1,2,4
select b, sum(a) from t group by rollup(b) having sum(a) > 1
select b, count(*), (select count(*) from u where u.a = t.b) from t group by b
select b, count(*), (select max(x) from u where u.a = count(*)) from t group by b
select a, sum(sum(b)) over (order by a) from t group by a
select b, rank() over (order by sum(a) desc), sum(a) from t group by b order by 2
select distinct on (b) b, a, c from t order by b, a desc
select a, generate_series(1,a) from t where a < 4
select a, generate_series(1,a), generate_series(1,2) from t where a < 4
select generate_series(1, generate_series(1,3)) x
select a, unnest(array[a, b]) x from t order by x, a
select sum(x) from (select unnest(array[1,2,3]) x) s
select * from t, generate_series(1, t.a) g where t.a < 3
select * from t left join generate_series(1, t.a - 1) g on true where t.a < 3
select * from t left join generate_series(1, t.a) g on g > 1 where t.a < 3
select t.a, s.* from t left join lateral (select x, e from u where u.a = t.a order by x limit 1) s on true
select t.a, s.* from t, lateral (select count(*) from u where u.a <= t.a) s
select t.a, z.* from t join lateral (select u.x, w.* from u, lateral (select t.a + u.a as q) w) z on z.q > 3
select t.a, u.x from t full join u on t.a = u.a
select a, b, x from t full join u using (a)
select a, b, x from t right join u using (a) order by a, x
select t.a from t where exists (select 1 from u where u.a = t.a and exists (select 1 from v where v.a = t.a and v.n = 1))
select a from t where a not in (select a from u)
select a from t where a not in (select a from u where a is not null)
select a from t where b > all (select a from u where a < 5)
select a from t where b >= any (select a from u)
select a, a in (select u.a from u) from t
select a, (select array_agg(x order by x) from u where u.a = t.a) from t
select a, array(select x from u where u.a = t.a order by x desc) from t
select a from t union select a from u order by a
select a from t intersect select a from u
select b from t intersect all select a from u
select b from t except all select a from u
select b from t except select a from u
select a from t union all (select a from u order by a desc limit 2)
with x as (select a, b from t), y as (select * from x where b = 10) select * from x join y using (a)
values (1, 'a'), (2, null) order by 1 desc
select * from (values (1, t2.a)) z, (select 1 as a) t2
select t.a, z.* from t, lateral (values (t.a), (t.a + 1)) z(q) where t.a < 3
select t.a, z.q from t, lateral (select t.a union all select t.a + 1) z(q) where t.a < 3
select (select sum(t.a)) from t
select (select sum(t.a + u.a) from u) from t
select b, (select count(*) filter (where t.b > 5) from u) from t group by b
select count(*) filter (where b = 10), sum(distinct b), count(distinct c) from t
select c, string_agg(a::text, '-' order by a desc) from t group by c
select case when a > 2 then 1/(a-2) else 0 end from t
select a, lag(a) over (partition by c order by a), first_value(a) over (partition by c order by a), sum(b) over (order by a rows between 1 preceding and 1 following) from t order by a
select a, ntile(2) over (order by a), percent_rank() over (order by b), cume_dist() over (order by b) from t
select percentile_cont(0.5) within group (order by a), percentile_disc(0.5) within group (order by c), mode() within group (order by c) from t
select t1.a, t2.a from t t1 join t t2 on t1.b = t2.b and t1.a < t2.a
select t.*, u.* from t natural join u
select count(t), count(t.c) from t
select (t).c from t where t.a = 1
select row(a, b) = row(1, 10), (a, b) in ((1, 10), (2, 3)), (a, c) is distinct from (1, 'x') from t
select a between symmetric 3 and 2, a not between 2 and 3 from t
select b is null, b is distinct from 10, (b = 10) is unknown, (b=10) is not true from t
select nullif(b, 10), coalesce(c, 'none'), greatest(a, b), least(a, b, 3) from t
select a::text || c, a || '', c like 'x%', c not like '%y' from t
select sum(d), avg(d), max(d), min(d), round(avg(d), 2) from t
select d * a, d / a, d + 1, d - 0.5, -d from t
select u.e + 1, u.e - date '2024-01-01', u.e + interval '1 month', extract(year from u.e) from u
select * from generate_series(1,3) with ordinality as g(n,o)
select * from rows from (generate_series(1,3), unnest(array['a','b'])) with ordinality as z(p,q,r)
select * from unnest(array[1,2,3], array['a','b']) as z(p,q)
select v.a, n from v join t using (a)
select a from t where a = any(array[1,3]) or b = all('{20}')
select (array[a, b])[1], (array[1,2,3])[2:3] from t
select x.* from (select a, b from t order by b desc nulls last limit 2) x
select b, count(*) from t group by b order by count(*) desc, b limit 2 offset 1
select 1 from t having count(*) > 1
select count(*) from t where false group by b
select count(*), max(a) from t where false
select a, (select b from t t2 where t2.a = t.a + 1) from t
select (select a from t)
select a, exists(select 1 from u where u.a = t.a and x is null) from t
select 1 where 1 in (select null::int union all select 2)
select a from t where (select count(*) from u where u.a = t.a) = 2
select a from t order by (select max(x) from u where u.a = t.a) nulls first, a
select c, count(*) from t group by c having count(*) > (select 1)
select coalesce((select x from u where u.a = t.a limit 1), 'none') from t
select t.a from t join u on t.a = u.a and u.x = (select max(x) from u u2 where u2.a = u.a)
