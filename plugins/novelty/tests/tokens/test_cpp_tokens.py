"""Which two C++ programs are one, and which are two."""

import pytest

from evograft_novelty import normalise_tokens
from evograft_novelty.sketch import sketch

SAME = {
    "comments do not count": ("int x = 1; // one\n/* two */ int y;", "int x = 1; int y;"),
    "line ends and spaces do not count": ("int  f( int a ){\r\n\treturn a ;\r\n}", "int f(int a) {\n  return a;\n}\n"),
    "where the star stands does not count": ("int* p; int& f(int &a);", "int *p; int &f(int& a);"),
    "an initialiser may end in a comma": ("int a[] = {1, 2,}; enum E { A, B, };", "int a[] = {1, 2}; enum E {A, B};"),
    "a statement may stand in braces": (
        "int f(int a) { if (a) return 1; else return 2; for (;;) g(); while (a) --a; do g(); while (a); }",
        "int f(int a) { if (a) { return 1; } else { return 2; } for (;;) { g(); } while (a) { --a; } do { g(); } while (a); }",
    ),
    "an else if may stand in braces": (
        "int f(int a) { if (a) g(); else if (a > 1) h(); }",
        "int f(int a) { if (a) { g(); } else { if (a > 1) { h(); } } }",
    ),
    "parentheses that say what is so anyway do not count": ("int x = (a * b) + (c);", "int x = a * b + c;"),
    "a returned value may stand in parentheses": ("int f() { return (1); }", "int f() { return 1; }"),
    "a number's letters have no case": ("long x = 0XFFULL + 1E5;", "long x = 0xffull + 1e5;"),
    "a number may have separators": ("int x = 1'000'000;", "int x = 1000000;"),
    "parameters have no names": (
        "int f(int a, int* b = 0) { return a - *b; }",
        "int f(int x, int* y = 0) { return x - *y; }",
    ),
    "a prototype's parameters have no names": ("int f(int a, double b);", "int f(int x, double y);"),
    "locals have no names": (
        "int f() { int a = 1, *b = &a, c[2] = {a, 2}; const auto& d = c; return *b + d[0]; }",
        "int f() { int x = 1, *y = &x, z[2] = {x, 2}; const auto& w = z; return *y + w[0]; }",
    ),
    "loop variables have no names": (
        "int f(V v) { for (int i = 0, n = v.size(); i < n; ++i) g(v[i]); for (auto& x : v) g(x); }",
        "int f(V u) { for (int j = 0, m = u.size(); j < m; ++j) g(u[j]); for (auto& y : u) g(y); }",
    ),
    "structured bindings have no names": (
        "int f(P p) { auto [a, b] = p; for (auto& [k, v] : a) g(k, v); return b; }",
        "int f(P q) { auto [x, y] = q; for (auto& [i, j] : x) g(i, j); return y; }",
    ),
    "a lambda, its parameters and captures have no names": (
        "int f(int n) { auto g = [&, n, m = n + 1](int a, auto b) { return a + b + m + n; }; return g(n, 1); }",
        "int f(int k) { auto h = [&, k, l = k + 1](int x, auto y) { return x + y + l + k; }; return h(k, 1); }",
    ),
    "a captured name may be kept": (
        "int f(int x) { return [x = x](int y) { return x + y; }(1); }",
        "int f(int a) { return [b = a](int c) { return b + c; }(1); }",
    ),
    "a caught exception has no name": (
        "int f() { try { g(); } catch (const E& e) { h(e); } }",
        "int f() { try { g(); } catch (const E& error) { h(error); } }",
    ),
    "conditions may declare names": (
        "int f() { if (int a = g(); a > 1) h(a); while (auto b = g()) h(b); }",
        "int f() { if (int x = g(); x > 1) h(x); while (auto y = g()) h(y); }",
    ),
    "a vector of a size that is a local is no function": (
        "int f(int n, int m) { vector<int> a(n); vector<vector<int>> b(n, vector<int>(m)); return a[0] + b[0][0]; }",
        "int f(int x, int y) { vector<int> c(x); vector<vector<int>> d(x, vector<int>(y)); return c[0] + d[0][0]; }",
    ),
    "a vector of a size that is a constant is no function": (
        "const int N = 5;\n#define M 6\nint f() { V a(N), b(M); return a[0] + b[0]; }",
        "const int N = 5;\n#define M 6\nint f() { V c(N), d(M); return c[0] + d[0]; }",
    ),
    "a name in an inner block may hide one outside": (
        "int f(int n) { g(n); { g(n); int n = 2; g(n); } return n; }",
        "int f(int n) { g(n); { g(n); int m = 2; g(m); } return n; }",
    ),
    "a local may hide a global": (
        "int x; int f() { int x = 1; return x; } int g() { return x; }",
        "int x; int f() { int y = 1; return y; } int g() { return x; }",
    ),
    "a loop may run over what its variable hides": (
        "int f(V x) { for (auto x : x) g(x); }",
        "int f(V y) { for (auto x : y) g(x); }",
    ),
    "a local may have the name of a member or of a function of std": (
        "int f(P p) { int x = p.x, max = 1; return std::max(x, max); }",
        "int f(P q) { int y = q.x, top = 1; return std::max(y, top); }",
    ),
    "a pointer to a function is a local": (
        "int f() { int (*a)(int) = g; return a(1); }",
        "int f() { int (*b)(int) = g; return b(1); }",
    ),
    "a method's parameters have no names": (
        "struct A { int x; A(int a) : x(a) {} int f(int b) const { return b + x; } int g(int c); }; int A::g(int d) { return d; }",
        "struct A { int x; A(int k) : x(k) {} int f(int l) const { return l + x; } int g(int m); }; int A::g(int n) { return n; }",
    ),
    "a macro's own parameters pin no names": (
        "#define REP(i, n) for (int i = 0; i < (n); i++)\nint f(int n) { REP(k, n) { g(k); } return n; }",
        "#define REP(i, n) for (int i = 0; i < (n); i++)\nint f(int m) { REP(k, m) { g(k); } return m; }",
    ),
    "a sign may stand apart from its number": (
        "int f(int a) { g(-1, a * -.5, a - -1, +2); return -1; }",
        "int f(int a) { g(- 1, a * - .5, a - - 1, + 2); return - 1; }",
    ),
    "a directive may be indented": ("#if 1\nint x;\n#endif\n", "  #if 1\nint x;\n\t#endif\n"),
    "a directive may be spread over lines": ("#define A \\\n  1 + \\\n  2\n", "  #  define A 1 + 2\n"),
}

DIFFERENT = {
    "an operator counts": ("int x = a + b;", "int x = a - b;"),
    "a literal counts": ("int x = 1;", "int x = 2;"),
    "a string counts": ('auto s = "a b";', 'auto s = "a  b";'),
    "a character counts": ("char c = 'a';", "char c = 'b';"),
    "a type counts": ("int f(int a) { return a; }", "int f(long a) { return a; }"),
    "a called function counts": ("int f(int a) { return g(a); }", "int f(int a) { return h(a); }"),
    "a method counts": ("int f(V a) { return a.size(); }", "int f(V a) { return a.back(); }"),
    "a function's name counts": ("int f() { return 1; }", "int g() { return 1; }"),
    "a global's name counts": ("int x; int y = x;", "int z; int y = z;"),
    "a member's name counts": ("struct A { int x; };", "struct A { int y; };"),
    "a template's parameter counts": ("template <int K> int f();", "template <int L> int f();"),
    "a macro counts": ("#define N 1\n", "#define N 2\n"),
    "a macro ends with its line": ("#define A B\nC\n", "#define A\nB C\n"),
    "an include counts": ("#include <a>\n", "#include <b>\n"),
    "a pragma counts": ('#pragma GCC optimize("O3")\n', '#pragma GCC optimize("O2")\n'),
    "a reference is no copy": ("int f(V& v) { return v[0]; }", "int f(V v) { return v[0]; }"),
    "the order of two parameters counts": (
        "int f(int a, int b) { return a - b; }",
        "int f(int a, int b) { return b - a; }",
    ),
    "two locals that are swapped in one place count": (
        "int f(int a, int b) { int c = a; return c - b; }",
        "int f(int a, int b) { int c = b; return c - a; }",
    ),
    "which of two names a use means counts": (
        "int f(int n) { { int m = 2; g(m); } return n; }",
        "int f(int n) { { int m = 2; g(n); } return n; }",
    ),
    "a name before it is hidden is not the one that hides it": (
        "int f(int n) { { g(n); int m = 2; } }",
        "int f(int n) { { int m = 2; g(m); } }",
    ),
    "the size of a vector counts": (
        "int f(int n, int m) { V a(n); return a[m]; }",
        "int f(int m, int n) { V a(n); return a[m]; }",
    ),
    "a function that is declared in a function keeps its name": (
        "int f() { int g(int); return g(1); }",
        "int f() { int h(int); return h(1); }",
    ),
    "parentheses that change the order count": ("int x = a * (b + c);", "int x = a * b + c;"),
    "parentheses that change the order of equals count": ("int x = a - (b - c);", "int x = a - b - c;"),
    "a comma in parentheses is not between arguments": ("int x = f((a, b), c);", "int x = f(a, b, c);"),
    "an item of what a pointer points to is not what an item points to": ("int x = (*a)[0];", "int x = *a[0];"),
    "a cast sum is not the sum of a cast": ("int x = (int)(a + b);", "int x = (int)a + b;"),
    "parentheses count under decltype": (
        "decltype(auto) f(int& a) { return (a); }",
        "decltype(auto) f(int& a) { return a; }",
    ),
    "a statement behind a loop is not in it": (
        "int f(int a) { while (a) { g(); h(); } }",
        "int f(int a) { while (a) g(); h(); }",
    ),
    "an else belongs to its if": (
        "int f(int a, int b) { if (a) { if (b) g(); } else h(); }",
        "int f(int a, int b) { if (a) if (b) g(); else h(); }",
    ),
    "a name that a macro mentions counts": (
        "#define ADD total += 1\nint f() { int total = 0, rest = 0; ADD; return total; }",
        "#define ADD total += 1\nint f() { int rest = 0, total = 0; ADD; return rest; }",
    ),
    "a name that a macro may print counts": (
        "#define SHOW(x) cerr << #x\nint f(int a) { SHOW(a); return a; }",
        "#define SHOW(x) cerr << #x\nint f(int b) { SHOW(b); return b; }",
    ),
    "a macro of a parameter is not one of a text in parentheses": (
        "#define A(x) (x) + 1\nint y = A(2);",
        "#define A (x) (x) + 1\nint y = A(2);",
    ),
    "a macro in parentheses is not called": (
        "#define A(x) 1\nint A(int); int y = A(2);",
        "#define A(x) 1\nint A(int); int y = (A)(2);",
    ),
    "spaces in what a macro makes text of count": (
        "#define SHOW(x) puts(#x)\nint f() { SHOW(1 + 2); }",
        "#define SHOW(x) puts(#x)\nint f() { SHOW(1+2); }",
    ),
    "parentheses in what a macro makes text of count": (
        "#define SHOW(x) puts(#x)\nint f() { SHOW((1)); }",
        "#define SHOW(x) puts(#x)\nint f() { SHOW(1); }",
    ),
    "a directive in the middle of a line is none": ("int x;\n#define A 1\n", "int x; #define A 1\n"),
    "a line that is continued ends no word and begins none": ("int\\\na;", "int a;"),
    "a condition in the middle of a line is none": (
        "#if 0\nint x;\n#else\nint y;\n#endif\n",
        "#if 0\nint x; #else\nint y;\n#endif\n",
    ),
    "a directive ends with its line": ("#define A 1\n", "#define\nA 1\n"),
    "a word for an operator is not a name": ("int f(int a) { return a; }", "int f(int or) { return or; }"),
    "a name that a pragma mentions counts": (
        "int f() { int sum = 0, x = 1;\n#pragma omp parallel for reduction(+:sum)\nfor (int i = 0; i < 9; i++) sum += i; }",
        "int f() { int x = 0, sum = 1;\n#pragma omp parallel for reduction(+:sum)\nfor (int i = 0; i < 9; i++) x += i; }",
    ),
    "an enumerator counts": (
        "int f() { enum { A, B }; return A; }",
        "int f() { enum { C, D }; return C; }",
    ),
    "a label counts": ("int f() { a: goto a; b: goto b; }", "int f() { a: goto b; b: goto a; }"),
    "a broken program is not the whole one": ("int f() { return (1; }", "int f() { return (1); }"),
    "a broken part counts as it is": ("int x = 1; )) a b", "int x = 1; )) a c"),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME.keys())
def test_one_program(one, other):
    assert normalise_tokens(one, "cpp") == normalise_tokens(other, "cpp")
    assert sketch({"main": one}, "k", "cpp") == sketch({"main": other}, "k", "cpp")


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT.keys())
def test_two_programs(one, other):
    assert normalise_tokens(one, "cpp") != normalise_tokens(other, "cpp")


def test_a_program_says_what_it_is_without_its_names():
    source = "int f(const V& v) {\n  int n = v.size(); // all\n  if (n) return g(n);\n}\n"
    told = "int f ( const V & <0> ) { int <1> = <0> . size ( ) ; if ( <1> ) { return g ( <1> ) ; } }"
    assert " ".join(normalise_tokens(source, "cpp")) == told
