#!/usr/bin/env python3
"""Records what transformers' own Jinja environment makes of small templates (needs transformers and jinja2).

    python3 record_expressions.py > expressions.json

`rendered` is null where rendering raises: the interpreter must refuse the template too.
"""
import json

from transformers.utils.chat_template_utils import _compile_jinja_template

VARIABLES = {
    "n": 7, "x": 2.5, "t": True, "z": None, "s": "  Grüße, Welt! 👋 \n", "word": "straße ΣΑΣ", "e": "",
    "l": [3, 1, 2], "d": {"b": 1, "a": [1.0, None, True], "é": "ü\"\\\n\t\u0001\u007f"}, "text": "a,b,,c",
    "m": [{"role": "system", "content": "S"}, {"role": "user", "content": "U1", "n": 2},
          {"role": "assistant", "content": "A1"}, {"role": "user", "content": "U2", "n": 1}],
}

EXPRESSIONS = r"""
n + 1
n - 10
n * x
n / 2
n // 2
-n // 2
-n % 3
n % -3
x % 2
-x % 2
-x // 2
n ** 2
2 ** -1
2 ** 3 ** 2
-2 ** 2
1 / 0
1 // 0
t + 1
'a' + 'b' * 3
'a' + 1
'a' ~ 1 ~ none ~ x ~ t ~ undefinedname
[1] + [2, 3]
[1] * 2
(1, 2) + (3,)
[1] + (2,)
1 == 1.0 and 1 == true
'1' == 1
1 < 2 < 3
1 < 3 < 2
'a' < 'b'
'a' < 1
[1, 2] < [1, 3]
none == undefinedname
undefinedname == othername
undefinedname
undefinedname.x
undefinedname + 'a'
undefinedname | length
undefinedname is defined
z is defined and z is none
d.b
d['b']
d.missing
d.missing.deeper
d.missing is defined
d.items() | list
d.items
d.keys() | list
d.values() | list
d.get('b')
d.get('q')
d.get('q', 5)
d['items'] is defined
m[0].role
m[0]['content']
m[-1].content
m[9]
m[9] is undefined
m[1:]
m[1:] | length
m[::-1] | map(attribute='content') | join(',')
l[::2]
l[-2:]
l[:100]
l[5:]
l[::0]
s[2:5]
s[::-1]
s[-3]
s[100] is defined
s | length
s | trim
s.strip()
s.strip() == s | trim
s.rstrip() | tojson
s.lstrip() | tojson
'xxaxx'.strip('x')
'xxaxx' | trim('x')
'abcabc'.lstrip('ab')
text.split(',')
text.split(',', 1)
text.rsplit(',', 1)
text.split(',')[-1]
'  a  b c '.split()
'  a  b c '.split(none, 1)
'  a  b c '.rsplit(none, 1)
'a<b>c'.split('<b>')[0]
'abc'.split('')
'a\nb\r\nc\n'.splitlines()
'abc'.startswith('ab')
'abc'.startswith(('x', 'a'))
'abc'.endswith('bc')
'abc'.find('c')
'ü€c'.find('c')
'abc'.find('q')
'banana'.count('an')
'banana'.replace('a', 'o')
'banana'.replace('a', 'o', 2)
'abc'.replace('', '-')
'banana' | replace('an', 'AN')
'banana' | replace('an', 'AN', 1)
', '.join(['a', 'b'])
', '.join([1])
'abc'.removeprefix('a') ~ 'abc'.removesuffix('c')
word.upper()
word.lower()
word.title()
word | upper
word | lower
word | title
word | capitalize
'hello wORLD foo-bar (baz' | title
'they\'re bill\'s'.title()
'they\'re bill\'s' | title
'ŉ ǆ ﬁ İ' | upper
'İ ΑΣ ΑΣ. Σ'.lower()
'x' in 'xyz'
'x' not in 'xyz'
1 in 'xyz'
1 in l
9 not in l
'b' in d
'role' in m[0]
'a' in undefinedname
'a' in 5
not t
not t or n > 3 and x
e or 'default'
n and e
e and n
'yes' if t else 'no'
'yes' if e else 'no'
'yes' if e
('yes' if e) is defined
1 if none else 2 if 0 else 3
n is number
t is number
t is integer
n is integer
x is float
t is boolean
t is true
e is false
n is odd
n is even
n is divisibleby 7
n is divisibleby(2)
s is string
s is iterable
s is sequence
d is mapping
d is iterable
d is sequence
l is sequence
n is iterable
n is not iterable
undefinedname is iterable
n is eq 7
n is equalto(7)
n is gt 3
n is in [1, 7]
n is in([1, 7]) and true
z is sameas none
n is string or s is string
range is callable
n is defined(1)
l | first
l | last
[] | first
[] | first is defined
l | join(', ')
l | join
m | join('-', attribute='role')
l | sort
l | sort(reverse=true)
['b', 'A', 'c'] | sort
['b', 'A', 'c'] | sort(case_sensitive=true)
m | sort(attribute='role') | map(attribute='content') | list
['a', 1] | sort
l | sum
m | selectattr('n', 'defined') | map(attribute='n') | sum
m | sum(attribute='missing')
l | min
l | max
l | reverse | list
'abc' | reverse
['a', 'A', 'b'] | unique | list
d | dictsort
l | length
n | length
d | length
l | map('string') | list
l | map('q')
['a', 'b'] | map('upper') | join
m | map(attribute='n', default=0) | list
m | map(attribute='n') | list
l | select('odd') | list
l | select('gt', 1) | list
l | select('>', 1) | list
l | reject('equalto', 1) | list
[0, 1, '', 'a', none] | select | list
m | selectattr('role', 'equalto', 'user') | map(attribute='content') | list
m | selectattr('role', '==', 'user') | list | length
m | rejectattr('role', 'in', ['user', 'system']) | list
m | selectattr('n') | list | length
(m | selectattr('role', 'equalto', 'nobody')) is defined
'y' if m | selectattr('role', 'equalto', 'nobody') else 'n'
m | selectattr('role', 'equalto', 'user') | length
d | items | list
undefinedname | items | list
n | items
d | tojson
d | tojson(indent=2)
d | tojson(indent=0)
[] | tojson(indent=2)
[[], {}, [1, [2]]] | tojson(indent=2)
d | tojson(indent='\t')
d | tojson(separators=(',', ':'))
d | tojson(sort_keys=true)
d | tojson(ensure_ascii=true)
'👋\x7f' | tojson(ensure_ascii=true)
(1, 2) | tojson
{1: 2, none: 3, true: 4, 1.5: 6} | tojson
undefinedname | tojson
l | map('string') | tojson
1e100 | tojson
[1e16, 1e15, 123456789.125, 1e-4, 1e-5, 0.1, 100.0, 5e-324, -0.0, 1e22] | tojson
[1e16, 0.5, -0.0]
d
[1, 'a', "it's", 'say "hi"', 'both \' "', 'tab\tnl\n', none, true, (1,), ()]
['\u00ad\u200b\x7f\x00 \U0001f44b']
{'a': {}}
n | string ~ '!'
'42' | int
'4.7' | int
'x' | int
'x' | int(9)
'0x1f' | int(0, 16)
' 1_000 ' | int
x | int
-x | int
none | int
undefinedname | int
'1.5' | float
'1e3' | float
'x' | float
2.5 | round
3.5 | round
2.675 | round(2)
n | round
-3 | abs
undefinedname | default('q')
z | default('q')
z | default('q', true)
e | d('q', boolean=true)
undefinedname | default
'a\nb\n\nc' | indent
'a\nb\n\nc' | indent(2, true)
'a\nb\n\nc' | indent(2, first=true, blank=true)
'a\nb' | indent('> ')
range(5) | list
range(2, 10, 3) | list
range(5, 0, -2) | list
range(3)[-1]
range(3) | length
range(1, 2, 0)
range(200000)
dict(a=1, b='x')
dict([('a', 1)], b=2)
namespace(a=1).a
namespace(a=1).b is defined
1 if n > 5 else 0 + 100
{'a': 1}.a
{'a': 1, 'a': 2}
{[1]: 2}
'a' 'b'
'\x41\u00e9\n\q\\'
"it's"
1_000 + 0
1.5e3
true ~ True ~ none ~ None
(1)
(1,)
()
1, 2
n is not none and n is not string
n|string|length
-n|abs
(-n)|abs
n.real
s.nothing is defined
s.nothing.more
n.x is defined
n()
d.b()
'a'.upper
foo('x')
raise_exception('no')
d == {'b': 1, 'a': [1.0, none, true], 'é': d['é']}
[1, [2]] == [1.0, [2]]
(1, 2) == [1, 2]
5 | q
n is q
z | map('upper') | list
e | selectattr('x') | list
0 | reject | list
n | select | list
n[1:]
d[1:2]
undefinedname is callable
t[:1]
""".strip("\n").split("\n")

TEMPLATES = [
    "{% for i in l %}{{ i }}{% if not loop.last %},{% endif %}{% endfor %}",
    "{% for i in l %}{{ loop.index }}/{{ loop.index0 }}/{{ loop.revindex }}/{{ loop.revindex0 }}/{{ loop.first }}/{{ loop.last }}/{{ loop.length }}/{{ loop.depth }};{% endfor %}",
    "{% for i in l %}[{{ loop.previtem }}|{{ i }}|{{ loop.nextitem }}]{% endfor %}",
    "{% for i in l %}{{ loop.cycle('a', 'b') }}{% endfor %}",
    "{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}",
    "{% for k, v in d | items %}{{ k }}={{ v }};{% endfor %}",
    "{% for k in d %}{{ k }};{% endfor %}",
    "{% for (a, b) in [(1, 2), [3, 4]] %}{{ a + b }};{% endfor %}",
    "{% for a, b in [(1, 2, 3)] %}{{ a }}{% endfor %}",
    "{% for c in 'aü👋' %}<{{ c }}>{% endfor %}",
    "{% for i in [] %}x{% else %}empty{% endfor %}",
    "{% for i in undefinedname %}x{% else %}empty{% endfor %}",
    "{% for i in 5 %}x{% endfor %}",
    "{% for i in range(10) if i is odd %}{{ i }}{{ loop.index }} {% endfor %}",
    "{% for i in l if i > 5 %}x{% else %}none{% endfor %}",
    "{% for i in range(10) %}{% if i == 2 %}{% continue %}{% endif %}{% if i == 5 %}{% break %}{% endif %}{{ i }}{% endfor %}",
    "{% for i in l %}{% for j in l %}{{ loop.depth }}{{ i }}{{ j }}{% if j == 1 %}{% break %}{% endif %}{% endfor %};{% endfor %}",
    "{% set a = 1 %}{% for i in l %}{{ a }}{% set a = i %}{{ a }} {% endfor %}{{ a }}",
    "{% set ns = namespace(found=false, n=0) %}{% for i in l %}{% set ns.n = ns.n + i %}{% set ns.found = true %}{% endfor %}{{ ns.n }}{{ ns.found }}",
    "{% if true %}{% set a = 1 %}{% endif %}{{ a }}",
    "{% if n > 100 %}a{% elif n > 5 %}b{% else %}c{% endif %}",
    "{% if n > 100 %}a{% elif n > 50 %}b{% else %}c{% endif %}",
    "{% set a, b = 1, 'x' %}{{ a }}{{ b }}",
    "{% set a = 1, 2 %}{{ a }}",
    "{% set a, b = [1] %}{{ a }}",
    "{% set a %}x{{ n }}{% set inner = 1 %}{% endset %}[{{ a }}]{{ inner is defined }}",
    "{% set a | upper | replace('X', 'y') | trim %} x{{ n }}z {% endset %}[{{ a }}]",
    "{% set d.b = 1 %}",
    "{% set ns = namespace() %}{% set ns._x = 1 %}{{ ns._x }}",
    "{% macro m(a, b='B', c=a) %}<{{ a }}{{ b }}{{ c }}>{% endmacro %}{{ m(1) }}{{ m(1, 2) }}{{ m(b=3, a=4) }}{{ m(1, c=9) }}",
    "{% macro m(a) %}{{ a is defined }}{% endmacro %}{{ m() }}{{ m(1) }}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(q=2) }}",
    "{% macro m() %}{{ later }}{% endmacro %}{% set later = 5 %}{{ m() }}",
    "{% macro f(k) %}{% if k > 0 %}{{ k }}{{ f(k - 1) }}{% endif %}{% endmacro %}{{ f(5) }}",
    "{% macro m(x) -%}\n  {{ x }}\n{%- endmacro %}\n[{{ m('a') | upper }}]",
    "a\n  {% if true %}\n  b\n  {% endif %}\nc\n",
    "a\n  {%- if true %}\n  b\n  {%- endif %}\nc\n\n",
    "a\n  {% if true -%}\n  b\n  {% endif -%}\n  c",
    "a  {{- n -}}  b",
    "a\n  {{ n }}\nb",
    "a {%+ if true %} b {% endif +%}\nc",
    "  {%+ if true +%}\n b {% endif %}\n\nc",
    "a {# c #}\nb\n   {# c #}\nc\n   {#- d -#}\n   e {#+ x +#}\n f",
    "{# one #}\n\n{# two #}\n",
    "x{# a\nb #}  {% set a = 1 %}  y",
    "   {% set a = 1 %}\n   {{ a }}   {% set b = 1 %}\n\t{% set c = 1 %}  \nz",
    "{{ '}}' }}{{ \"%}\" }}{{ {'a': {'b': 1}}['a']['b'] }}",
    "{{ {'a': {'b': 1}} }}",
    "{ { } } {% if true %}}{% endif %} #} %} }}",
    "line1\r\nline2\rline3{{ 'a\r\nb' }}\r\n",
    "trailing\n\n\n",
    "{{ n }}\n",
    "{%- for message in m %}\n    {%- if message.role == 'user' %}\n        {{- '<u>' + message['content'] + '</u>\\n' }}\n    {%- elif message.role == 'system' %}\n        {{- message.content | trim }}\n    {%- endif %}\n{%- endfor %}\n{%- if n %}\n    {{- 'end' }}\n{%- endif %}",
    "{% for i in l -%}\n  {{ i }}\n{% endfor %}",
    "\u00a0{%- if true %}\u2003x{% endif %}\u00a0\n \u00a0 {% if true %}y{% endif %}",
    "{% set x = namespace(a=[1]) %}{% set x.a = x.a + [2] %}{{ x.a }}",
    "{% for i in l %}{{ i }}{% endfor %}{{ i is defined }}{{ loop is defined }}",
    "{% for m in m %}{{ m.role[0] }}{% endfor %}",
    "{% set g = l | map('string') %}{{ g | list }}{{ g | list }}",
    "{% if m[0].role == 'system' %}{% set rest = m[1:] %}{% endif %}{% for x in rest %}{% if (x.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('order') }}{% endif %}{{ x.content }}{% endfor %}",
    "{{ 1 }}{% if %}",
    "{{ }}",
    "{{ 1 +}}",
    "{% for i in l %}",
    "{% endif %}",
    "{{ 'abc }}",
    "{# never",
    "{% unknown %}",
    "{{ (1 }}",
    "{{ [1) }}",
    "{% break %}",
    "{{ a.b.c }}",
    "{{ 5 5 }}",
    "{% set 5 = 1 %}",
    "{% set none = 1 %}",
    "{% if x = 1 %}{% endif %}",
    "{{ n !}}",
    "{% for i in l %}{% else %}{% else %}{% endfor %}",
    "{% set a = 5 %}{% set b = a if a > 3 %}{{ b }}",
    "{{ m | map(attribute='content') | map('length') | list }}",
    "{{ 'a' if n == 7 }}{{ 'b' if n == 8 }}",
    "{{ l is sequence and l is not mapping }}",
    "{{ ['a', 'b'][n - 6] }}",
    "{{ not n is none }}",
    "{{ m[0].content.startswith('S') and not m[1].content.endswith('x') }}",
]


def rendered(source):
    try:
        text = _compile_jinja_template(source).render(**VARIABLES)
        return None if " at 0x" in text else text  # an object's address is nothing to print
    except Exception:  # whatever Python raises, the template cannot be rendered
        return None


cases = [{"source": source, "rendered": rendered(source)}
         for source in ["{{ " + each + " }}" for each in EXPRESSIONS] + TEMPLATES]
print('{"variables": ' + json.dumps(VARIABLES) + ',\n"cases": [\n' + ",\n".join(map(json.dumps, cases)) + "\n]}")
