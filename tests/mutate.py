#!/usr/bin/env python3
"""Do the tests notice? Changes one operator, constant, condition or statement of sneppp.h at a time, at random, and runs the
tests: those of the floor first, then those of other suites. Needs python3 and gcc.

   make mutate                                    200 changes over all floors
   make mutate MUTATE_SEED=2 MUTATE_COUNT=60      another draw
   make mutate MUTATE_FLOOR=rng                   one floor (MUTATE_COUNT changes in it)
   python3 tests/mutate.py --show rng.3           how the header differs in change 3 of that floor
   python3 tests/mutate.py --try rng.3 base.1     only these changes of the draw, after a test was written for them

The draw follows from the seed and the text of each line and its function, so that an edit of the header redraws no other
lines. Every floor has its share by lines, at least five. A line is drawn first, then one of the changes that it allows: lines of active code inside functions, never comments, strings,
declarations without a value, constants of tables, the preprocessor's lines or functions that only other builds use. A change that does not compile is replaced.

All changes are compiled into one program: the expression E that holds change 7 becomes (mutant is 7 ? E' : E), and the
environment says which one is on. A test that does not come by a change cannot notice it: the program notes where it comes
by, so every test runs once without any change, for two seconds at most, and then only those that came by, the quickest first: those
of the floor's own suites, then the quick ones of others. Noticed means: a test fails, the program dies, or it takes several
times as long as it should. What survives is tried once more without vectors, which has loops of its own, under the address
and undefined sanitizers, where reads out of bounds show.

build/mutate keeps what was measured, and which test noticed a change: the next run tries that test first, and all others only
if it has become blind (MUTATE_FRESH=1 forgets). tests/mutants.txt lists changes that survive for a reason. Those that it
calls equivalent no test can notice; they are named and counted in the report. Exits with 1 if less than 90 % of the
others are noticed."""
import hashlib, json, os, random, re, resource, shutil, subprocess, sys, tempfile, threading, time

TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
OUT = os.path.join(TOP, "build", "mutate")
SEED = int(os.environ.get("MUTATE_SEED") or 1)
COUNT = int(os.environ.get("MUTATE_COUNT") or 200)
ONLY = os.environ.get("MUTATE_FLOOR") or ""
JOBS = int(os.environ.get("MUTATE_JOBS") or min(2, os.cpu_count() or 1))
FRESH = bool(os.environ.get("MUTATE_FRESH"))
BAR = 90.0

# The suites that are a floor's own. A suite is tests/test_NAME.c.
FLOORS = {
   "base": ["base", "header"], "machine": ["vector"], "special": ["special"],
   "evaluate": ["model", "space", "radial", "edges"],
   "mem": ["mem"], "threads": ["threads"], "rng": ["rng"], "linalg": ["linalg"], "integrals": ["special"],
   "space": ["space", "edges"],
   "kernel": ["kernel", "kernel_gauss", "kernel_shape", "raster"], "optim": ["optim"], "radial": ["radial"],
   "model": ["model", "edges"], "loss": ["loss"], "fit": ["fit", "convex"], "auto": ["auto", "stream", "districts", "raster"],
   "spawn": ["sample", "level", "export_c"], "ranks": ["ranks"], "sure": ["sure"], "sample": ["sample", "level"], "io": ["io", "export_c"], "input": ["input"],
}

# ---------------------------------------------------------------------------------------------------- reading C
TOKEN = re.compile(r"""
   (?P<space>\s+|/\*.*?\*/|//[^\n]*)|(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|
   (?P<directive>^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)|
   (?P<number>(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)[a-zA-Z]*)|(?P<name>[A-Za-z_]\w*)|
   (?P<op><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""", re.X | re.S | re.M)

TYPES = set("""void char int long short unsigned signed float double const static size_t ptrdiff_t uint8_t uint16_t uint32_t
   uint64_t int32_t int64_t struct union enum volatile register extern typedef SNEPPP_RESTRICT SNEPPP__RESTRICT FILE
   __m256d __m256 __m256i __m128d __m128 __m128i __m512d __m512""".split())
KEYWORDS = set("if else for while do switch case default return break continue goto sizeof".split())


class Token:
   __slots__ = ("kind", "text", "at", "line")

   def __init__(self, kind, text, at, line):
      self.kind, self.text, self.at, self.line = kind, text, at, line


def tokens_of(text):
   line, out = 1, []
   for m in TOKEN.finditer(text):
      kind, s = m.lastgroup, m.group()
      if kind not in ("space", "directive"):
         out.append(Token(kind, s, m.start(), line))
      line += s.count("\n")
   return out


def active_lines(header):
   """Lines of the header that the preprocessor lets through in the build of the tests."""
   text = subprocess.run([CC, "-E", "-std=c99", "-DSNEPPP_PTHREADS", "-DSNEPPP_IMPLEMENTATION", header],
                         check=True, capture_output=True, text=True).stdout
   lines, line, ours = set(), 0, False
   for s in text.split("\n"):
      m = re.match(r'# (\d+) "(.*?)"', s)
      if m:
         line, ours = int(m.group(1)), os.path.basename(m.group(2)) == os.path.basename(header)
         continue
      if ours and s.strip():
         lines.add(line)
      line += 1
   return lines


def used_functions(where):
   """Functions of where/sneppp.h that the test program can reach: the others have no code in this build."""
   inc = ["-I" + os.path.join(where, "gen"), "-I" + os.path.join(where, "tests")] + INCLUDE
   text = subprocess.run([CC, "-E", "-std=c99"] + inc + [os.path.join(where, "tests", "main.c")], check=True, capture_output=True, text=True).stdout
   ours, theirs, inside = [], [], False
   for s in text.split("\n"):
      m = re.match(r'# \d+ "(.*?)"', s)
      if m: inside = os.path.basename(m.group(1)) == "sneppp.h"
      else: (ours if inside else theirs).append(s)
   calls, todo = {}, set(re.findall(r"\bsneppp_\w+", "\n".join(theirs)))
   for head, body in re.findall(r"^([^\s{}#;][^{};]*\))\s*\{([^\n]*\}[ \t]*$|.*?^\})", "\n".join(ours), re.M | re.S):
      name = re.findall(r"(\w+)\s*\(", re.sub(r"__attribute__\s*\(\(.*?\)\)|\(\*\w+\)\s*\(", "", head))
      if name: calls.setdefault(name[0], set()).update(re.findall(r"\bsneppp_\w+", body))
   used = set()
   while todo:
      name = todo.pop()
      if name not in used:
         used.add(name)
         todo |= calls.get(name, set())
   return used


class Change:
   """One mutant: text[at:end] becomes `new`; the statement that holds it spans the lines first to last."""

   def __init__(self, floor, function, first, last, span, token, at, end, old, new, what, region):
      self.floor, self.function, self.first, self.last, self.span = floor, function, first, last, span
      self.region, self.number, self.reach = region, 0, 0 # region: the whole expression, or None for a statement that goes
      self.line, self.at, self.end, self.old, self.new, self.what = token.line, at, end, old, new, what
      self.name, self.by, self.how = "", None, ""
      self.key = "" # what stays when lines above it come or go: function, line, which of equal lines, column, new text


def real_scaled(s):
   m = re.match(r"[0-9.]+(?:[eE][-+]?\d+)?", s)
   suffix = s[m.end():]
   small = re.search(r"[eE]-", m.group()) # a tolerance: a hundredth of it is nothing
   return repr(float(m.group()) * (100 if small else 1.01)) + suffix


def read_header(path):
   """Every change that the header allows, by floor and line."""
   text = open(path, encoding="utf-8").read()
   marks = [(text.count("\n", 0, m.start()) + 1, m.group(1)) for m in re.finditer(r">>([a-z]+) ===", text)]
   floor_at = {}
   active = active_lines(path)
   types = TYPES | set(re.findall(r"\b(sneppp_[a-z0-9_]*)\b *;", "".join(re.findall(r"\}[^;{}]*;|typedef[^;{]*;", text))))
   types |= set(re.findall(r"typedef struct (\w+)", text)) | set(re.findall(r"typedef enum (\w+)", text))
   types |= set(re.findall(r"^\s*#\s*define\s+(SNEPPP__\w*(?:REAL|VEC|VECTOR)\b)", text, re.M))
   types |= set(re.findall(r"^\} (\w+);", text, re.M)) | set(re.findall(r"typedef [^;{}()]*?(\w+);", text))
   toks = tokens_of(text)
   changes = {name: {} for name in FLOORS}
   lines_of = {name: 0 for name in FLOORS}

   def floor(line):
      name = ""
      for at, mark in marks:
         if at > line: break
         name = mark
      return name

   # ---- functions: a brace at depth 0 after a closing parenthesis
   i, n = 0, len(toks)
   while i < n:
      t = toks[i]
      if t.text == "{" and toks[i - 1].text == ")":
         k, depth = i - 1, 0
         while True: # back to the parenthesis that opens the parameters
            depth += {")": 1, "(": -1}.get(toks[k].text, 0)
            if depth == 0: break
            k -= 1
         function = toks[k - 1].text
         j, depth = i, 0
         while True:
            depth += {"{": 1, "}": -1}.get(toks[j].text, 0)
            if depth == 0: break
            j += 1
         name = floor(t.line)
         if name in FLOORS: statements(text, toks, i + 1, j, name, function, active, types, changes[name])
         i = j + 1
         continue
      if t.text == "{" and not (i >= 1 and toks[i - 1].kind == "string"): # a struct or a table at file scope
         depth = 0
         while True:
            depth += {"{": 1, "}": -1}.get(toks[i].text, 0)
            i += 1
            if depth == 0: break
         continue
      i += 1
   ends = [m.start() for m in re.finditer("\n", text)] + [len(text)]
   for per_line in changes.values():
      alike = {}
      for line in sorted(per_line):
         start = ends[line - 2] + 1 if line > 1 else 0
         words = "%s: %s" % (per_line[line][0].function, squeeze(text[start:ends[line - 1]]))
         alike[words] = alike.get(words, 0) + 1
         for c in per_line[line]:
            c.line_key = "%s #%d" % (words, alike[words])
            c.key = "%s @%d-%d %s" % (c.line_key, len(squeeze(text[start:c.at])), c.end - c.at, c.new)
   return text, changes


def statements(text, toks, i, end, floor, function, active, types, out):
   """Cuts a body into statements, and each into the changes that it allows."""
   span = (toks[i - 1].line, toks[end].line)
   start = i
   paren = 0
   while i < end:
      t = toks[i].text
      if t in "([": paren += 1
      if t in ")]": paren -= 1
      if paren == 0 and t == "{" and toks[i - 1].text in ("=", ",") : # the value of an array: skipped as a whole
         depth = 0
         while True:
            depth += {"{": 1, "}": -1}.get(toks[i].text, 0)
            i += 1
            if depth == 0: break
         continue
      if paren == 0 and t in ("{", "}", ";"):
         if i > start: statement(text, toks, start, i, floor, function, span, active, types, out, i + 1 >= end)
         start = i + 1
      i += 1


def closing(toks, k, b):
   """The index of the bracket that closes the one at k."""
   depth = 0
   while k < b:
      depth += 1 if toks[k].text in "([{" else -1 if toks[k].text in ")]}" else 0
      if depth == 0: break
      k += 1
   return k


def cut(toks, a, b, mark):
   """Tokens a..b-1 in pieces between the marks that are outside all brackets."""
   pieces, depth, start = [], 0, a
   for k in range(a, b):
      depth += 1 if toks[k].text in "([{" else -1 if toks[k].text in ")]}" else 0
      if depth == 0 and toks[k].text == mark:
         pieces.append((start, k))
         start = k + 1
   return pieces + [(start, b)]


def expressions(toks, a, b, types):
   """The expressions of a statement without its heads: itself, what it returns, or what its variables begin with."""
   if a >= b: return []
   if toks[a].text not in types: return [(a + 1, b) if toks[a].text == "return" else (a, b)]
   out = []
   for x, y in cut(toks, a, b, ","):
      for k in range(x, y):
         if toks[k].text == "=":
            if toks[k + 1].text != "{": out.append((k + 1, y))
            break
   return out


def statement(text, toks, a, b, floor, function, span, active, types, out, is_last):
   """Tokens a..b-1 and the semicolon or brace b."""
   first, last = toks[a].line, toks[b].line
   regions = []

   def add(k, at, stop, new, what, region):
      if region and re.search(r"\n[ \t]*#", text[region[0]:region[1]]): return # the preprocessor has a hand in it
      if toks[k].line in active:
         c = Change(floor, function, first, last, span, toks[k], at, stop, text[at:stop], new, what, region)
         out.setdefault(toks[k].line, []).append(c)

   head = a
   while head < b:
      word = toks[head].text
      if word in ("else", "do"): head += 1
      elif word == "case" or (word == "default" and toks[head + 1].text == ":"):
         while toks[head].text != ":": head += 1
         head += 1
      elif word in ("if", "for", "while", "switch") and toks[head + 1].text == "(":
         k = closing(toks, head + 1, b)
         for x, y in cut(toks, head + 2, k, ";"): regions += expressions(toks, x, y, types)
         if word == "if":
            at, stop = toks[head + 1].at + 1, toks[k].at
            add(head, at, stop, "!(" + text[at:stop] + ")", "condition", (at, stop))
         head = k + 1
      else: break
   if head < b:
      word = toks[head].text
      if word == "static": return # a table
      regions += [] if word in ("break", "continue", "goto") else expressions(toks, head, b, types)
      # A whole statement: assignments, calls, early returns. The last return gives the result and stays.
      if toks[b].text == ";" and word not in types and word != "goto" and not (word == "return" and is_last) and \
            not (word == "(" and toks[head + 1].text == "void"):
         add(head, toks[head].at, toks[b].at, "", "statement", None)
   for x, y in regions:
      if x >= y: continue
      region = (toks[x].at, toks[y - 1].at + len(toks[y - 1].text))

      def token(k, new, what): add(k, toks[k].at, toks[k].at + len(toks[k].text), new, what, region)

      quiet = set() # the operand of sizeof is not evaluated
      for k in range(x, y):
         if toks[k].text == "sizeof":
            stop = closing(toks, k + 1, y) + 1 if toks[k + 1].text == "(" else k + 2
            while stop < y and toks[stop].text in ("[", ".", "->", "*"): stop = closing(toks, stop, y) + 1 if toks[stop].text == "[" else stop + 2
            if toks[k + 1].text == "*": stop = max(stop, k + 3)
            quiet.update(range(k, stop))
      for k in range(x, y):
         if k in quiet: continue
         t, before, after = toks[k], toks[k - 1], toks[k + 1]
         binary = k > x and (before.kind == "number" or (before.kind == "name" and before.text not in types | KEYWORDS) or before.text in (")", "]"))
         if before.text == ")" and (toks[k - 2].text in types or (toks[k - 2].text == "*" and toks[k - 3].text in types)): binary = False # a cast
         if t.kind == "op":
            if t.text in ("+", "-") and binary: token(k, {"+": "-", "-": "+"}[t.text], "arithmetic")
            elif t.text == "-": token(k, "", "sign")
            elif t.text in ("*", "/") and binary: token(k, {"*": "/", "/": "*"}[t.text], "arithmetic")
            elif t.text in ("+=", "-=", "*=", "/="): token(k, {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*="}[t.text], "arithmetic")
            elif t.text in ("<", "<=", ">", ">="):
               token(k, {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}[t.text], "border")
               token(k, {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}[t.text], "comparison")
            elif t.text in ("==", "!="): token(k, {"==": "!=", "!=": "=="}[t.text], "comparison")
            elif t.text in ("&&", "||"): token(k, {"&&": "||", "||": "&&"}[t.text], "logic")
            elif t.text == "!": token(k, "", "logic")
            elif t.text in ("<<", ">>") and binary: token(k, {"<<": ">>", ">>": "<<"}[t.text], "shift")
            elif t.text in ("&", "|", "^") and binary: token(k, {"&": "|", "|": "&", "^": "|"}[t.text], "bits")
         elif t.kind == "number":
            if re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)[uUlL]*", t.text):
               digits, suffix = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)", t.text).groups()
               value = int(digits, 0)
               alone = y - x == 1 or (before.text == "=" and after.text in (",", ";"))
               if value != 1 or not alone: token(k, "%d%s" % (value + 1, suffix), "constant") # a lone 1 is mostly "yes", as is 2
               if value > 0: token(k, "%d%s" % (value - 1, suffix), "constant")
            else:
               token(k, real_scaled(t.text), "constant")
               token(k, " -" + t.text, "constant")
         elif t.kind == "name" and after.text == "(":
            swap = {"fmin": "fmax", "fmax": "fmin", "sin": "cos", "cos": "sin", "floor": "ceil", "ceil": "floor"}.get(t.text)
            m = re.fullmatch(r"(sneppp__\w*?)(min|max)(_\w+)?", t.text)
            if m: swap = m.group(1) + {"min": "max", "max": "min"}[m.group(2)] + (m.group(3) or "")
            if swap: token(k, swap, "function")


def weave(text, chosen):
   """The header with all chosen changes in it, each under its number, and where each came to lie, in lines."""
   places = {}
   for c in chosen: places.setdefault(c.region or (c.at, c.end + 1, "statement"), []).append(c) # with its semicolon
   # The first time that it comes by a change, the program writes its number into the file that MUTANT_SEEN names.
   switch = """
#include <stdio.h>
#include <stdlib.h>
static int  sneppp__mutant;
static char sneppp__mutant_seen[%d];
__attribute__((constructor)) static void sneppp__mutant_read(void)
{
   const char *s = getenv("MUTANT");
   sneppp__mutant = s ? atoi(s) : 0;
}
static int sneppp__mutant_see(int number)
{
   const char *path = getenv("MUTANT_SEEN");
   FILE       *file = path ? fopen(path, "a") : NULL;
   sneppp__mutant_seen[number] = 1;
   if (file) fprintf(file, "%%d\\n", number), fclose(file);
   return 1;
}
#define SNEPPP__MUTANT(number) ((sneppp__mutant_seen[number] || sneppp__mutant_see(number)) && sneppp__mutant == (number))
""" % (len(chosen) + 1)
   begin = text.index("\n", text.index(">>base ===")) # inside the implementation
   edits = [(begin, begin, None)] + [(p[0], p[1], cs) for p, cs in places.items()]
   out, at, lines, line = [], 0, {}, 1

   def put(piece):
      nonlocal line
      out.append(piece)
      line += piece.count("\n")

   # A statement that goes may hold an expression that changes: the inner edit is made inside the outer one.
   def render(a, b, inner):
      piece, at = "", a
      for x, y, cs in inner:
         piece += text[at:x] + wrap(x, y, cs)
         at = y
      return piece + text[at:b]

   def wrap(a, b, cs):
      old = text[a:b]
      if cs[0].region is None: return "{ if (!SNEPPP__MUTANT(%d)) %s }" % (cs[0].number, old) # an else may follow
      return "(" + "".join("SNEPPP__MUTANT(%d) ? (%s) : " % (c.number, text[a:c.at] + c.new + text[c.end:b]) for c in cs) + "(" + old + "))"

   edits.sort(key=lambda e: (e[0], -e[1]))
   k = 0
   while k < len(edits):
      a, b, cs = edits[k]
      put(text[at:a])
      if cs is None:
         put(" */" + switch + "/*" if text[a - 2:a] != "*/" else switch)
         at, k = a, k + 1
         continue
      inner = []
      k += 1
      while k < len(edits) and edits[k][0] < b: # only a statement that goes can hold others
         inner.append(edits[k])
         k += 1
      start = line
      if inner and cs[0].region is None: put("{ if (!SNEPPP__MUTANT(%d)) %s }" % (cs[0].number, render(a, b, inner)))
      else: put(wrap(a, b, cs))
      for c in cs + [c for e in inner for c in e[2]]: lines[c] = (start, line)
      at = b
   put(text[at:])
   return "".join(out), lines


def draw(changes):
   """A stream of changes for each floor, and how many of it are wanted: a line first, then a change of it."""
   lines = {f: sum(1 for _ in per_line) for f, per_line in changes.items()}
   floors = [f for f in FLOORS if lines[f] and ONLY in ("", f)]
   if not floors: sys.exit("mutate: there is no floor " + ONLY)
   total = sum(lines[f] for f in floors)
   wanted = {f: max(5, round(COUNT * lines[f] / total)) for f in floors}
   while sum(wanted.values()) > COUNT and max(wanted.values()) > 5: # the smallest floors were rounded up to five
      wanted[max(floors, key=lambda f: wanted[f])] -= 1
   while sum(wanted.values()) < COUNT: wanted[max(floors, key=lambda f: lines[f] / wanted[f])] += 1
   streams = {}
   for f in floors:
      def lot(key): return hashlib.sha256(("%d %s" % (SEED, key)).encode()).digest()
      order = sorted(changes[f], key=lambda line: lot(changes[f][line][0].line_key))
      pools = {line: sorted(changes[f][line], key=lambda c: lot(c.key)) for line in order}
      depth = max(len(p) for p in pools.values())
      streams[f] = [pools[line][k] for k in range(depth) for line in order if k < len(pools[line])]
   return wanted, streams


# ---------------------------------------------------------------------------------------------------- building and running
def command(name, *candidates):
   for c in candidates:
      if c and shutil.which(c): return c
   sys.exit("mutate: needs " + name)


CC = command("a C compiler", os.environ.get("MUTATE_CC"), "gcc", "clang", "cc")
OTHERS = 6 # seconds of tests of other suites that a change is tried with
INCLUDE = ["-isystem", os.path.join(TOP, "build", "greatest")]
LIBS = ["-lm", "-pthread"]


def sha(*paths):
   h = hashlib.sha256()
   for p in paths: h.update(open(p, "rb").read())
   return h.hexdigest()[:16]


def suite_files():
   return sorted(os.path.join(TOP, "tests", f) for f in os.listdir(os.path.join(TOP, "tests")) if re.fullmatch(r"test_\w+\.c", f))


def suite_of(path):
   return re.fullmatch(r"test_(\w+)\.c", os.path.basename(path)).group(1)


def copy_tests(where):
   """main.c includes ../sneppp.h, so each place of work has a header of its own beside its own copy of the tests."""
   for folder in ("tests", "examples", "bench"): # suites test the reader of CSV and the rivals of the paper, too
      shutil.rmtree(os.path.join(where, folder), ignore_errors=True)
      shutil.copytree(os.path.join(TOP, folder), os.path.join(where, folder))
   os.makedirs(os.path.join(where, "gen"), exist_ok=True)
   with open(os.path.join(where, "gen", "suites.h"), "w") as f:
      subprocess.run(["sh", "tests/suites.sh"] + suite_files(), cwd=TOP, check=True, stdout=f)


def build(where, compiler, flags, program):
   """Compiles where/sneppp.h with the tests, if they are not what the program was made of; the compiler's words if it fails."""
   tests = os.path.join(where, "tests")
   stamp = " ".join([sha(os.path.join(where, "sneppp.h"), *(os.path.join(tests, f) for f in sorted(os.listdir(tests)) if f.endswith((".c", ".h"))))] + flags)
   if os.path.exists(program) and os.path.exists(program + ".of") and open(program + ".of").read() == stamp: return ""
   inc = ["-I" + os.path.join(where, "gen"), "-I" + os.path.join(where, "tests")] + INCLUDE
   for source in ("runner", "main"):
      obj = os.path.join(where, source + ".o")
      if source == "runner" and os.path.exists(obj): continue
      r = subprocess.run([compiler, "-w", "-std=c99"] + (flags if source == "main" else []) + inc +
                         ["-c", "-o", obj, os.path.join(where, "tests", source + ".c")], capture_output=True, text=True, errors="replace")
      if r.returncode: return r.stderr or "failed"
   r = subprocess.run([compiler] + flags + ["-o", program, os.path.join(where, "main.o"), os.path.join(where, "runner.o")] + LIBS,
                      capture_output=True, text=True, errors="replace")
   if r.returncode: return r.stderr or "failed"
   with open(program + ".of", "w") as f: f.write(stamp)
   return ""


def run_test(program, test, limit, env=None, sanitized=False):
   """How it went ("" is well) and the seconds of processor time, of which `limit` are allowed."""
   def limits():
      resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
      resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 3))
      if not sanitized: resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
   with tempfile.TemporaryFile() as said:
      p = subprocess.Popen([program, "-f", "-t", test], cwd=TOP, stdout=said, stderr=said, env=env, preexec_fn=limits)
      timer = threading.Timer(8 * limit + 30, p.kill) # waiting for ever costs no processor time
      timer.start()
      _, status, usage = os.wait4(p.pid, 0)
      timer.cancel()
      p.returncode = code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
      said.seek(0)
      words = said.read()
   took = usage.ru_utime + usage.ru_stime
   if code == 0: return "", took
   if re.search(rb"\n0 passed, 0 failed(, \d+ skipped)?\s*$", words): return "is not there", took # or skipped, in this build
   if code in (-9, -24): return "does not end", took
   if code < 0: return "dies of signal %d" % -code, took
   return "stops" if sanitized and (b"Sanitizer" in words or b"runtime error" in words) else "fails", took


class Measured:
   """Which changes each test comes by, and how long it takes; kept in build/mutate for each draw and suite."""
   LONG = 60.0 # seconds that tests are taken for that have not ended after two

   def __init__(self, program, woven):
      path = os.path.join(OUT, "measured.json")
      known = json.load(open(path)) if os.path.exists(path) else {}
      base, todo = sha(woven), []
      for f in suite_files():
         key, suite = sha(f) + base, suite_of(f)
         names = re.findall(r"\bRUN_TEST\w*\((\w+)", open(f).read())
         if known.get(suite, {}).get("key") != key: known[suite] = {"key": key, "tests": {}}
         todo += [(suite, name) for name in names if name not in known[suite]["tests"]]
      if todo: print("mutate: which changes do %d tests come by? (kept in build/mutate)" % len(todo), flush=True)
      lock, queue, wrong, saved = threading.Lock(), list(reversed(todo)), [], [time.time()]
      def work(index):
         seen = os.path.join(OUT, "seen%d" % index)
         while not wrong:
            with lock:
               if not queue: return
               suite, name = queue.pop()
            open(seen, "w").close()
            how, took = run_test(program, name, 1, dict(os.environ, MUTANT_SEEN=seen))
            if how == "does not end": took = self.LONG
            elif how and how != "is not there": wrong.append("mutate: %s %s without any change" % (name, how))
            with lock:
               known[suite]["tests"][name] = (took, sorted({int(n) for n in open(seen).read().split()}))
               if not queue or time.time() > saved[0] + 10:
                  json.dump(known, open(path + ".new", "w"))
                  os.replace(path + ".new", path)
                  saved[0] = time.time()
      in_parallel(work)
      if wrong: sys.exit(wrong[0])
      self.tests = {name: (suite, seconds, set(seen)) for suite in known for name, (seconds, seen) in known[suite]["tests"].items()}

   def that_run(self, c):
      """Tests that come by the change, own suites first, the quickest first; if none does, long ones may later than was looked."""
      run = [(seconds, name, suite in FLOORS[c.floor]) for name, (suite, seconds, seen) in self.tests.items() if c.number in seen] or \
            [(seconds, name, True) for name, (suite, seconds, _) in self.tests.items() if seconds == self.LONG and suite in FLOORS[c.floor]]
      return sorted((t, name) for t, name, own in run if own), sorted((t, name) for t, name, own in run if not own)

   def of_floor(self, floor):
      return sorted((seconds, name) for name, (suite, seconds, _) in self.tests.items() if suite in FLOORS[floor])


def split(tests, seconds):
   """The quickest tests that take so long together, and the rest."""
   total = 0
   for k, (took, _) in enumerate(tests):
      total += took
      if total > seconds: return tests[:k], tests[k:]
   return tests, []


def in_parallel(work):
   threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(JOBS)]
   for t in threads: t.start()
   for t in threads: t.join()


# ---------------------------------------------------------------------------------------------------- the list of survivors
def read_list():
   """tests/mutants.txt: function, line before, line after, why. Returns {(function, before, after): why}."""
   path, out = os.path.join(TOP, "tests", "mutants.txt"), {}
   if os.path.exists(path):
      for record in re.findall(r"^(\w+)\n- (.*)\n\+ ?(.*)\n((?:   .*\n?)+)", open(path).read(), re.M):
         out[record[:3]] = " ".join(record[3].split())
   return out


def squeeze(s):
   return " ".join(s.split())


def before_after(text, c):
   a, b = text.rfind("\n", 0, c.at) + 1, text.find("\n", c.end)
   return squeeze(text[a:b]), squeeze(text[a:c.at] + c.new + text[c.end:b])


# ---------------------------------------------------------------------------------------------------- the program
def main():
   header = os.path.join(TOP, "sneppp.h")
   os.makedirs(OUT, exist_ok=True)
   text, changes = read_header(header)
   where = os.path.join(OUT, "place")
   copy_tests(where)
   shutil.copy(header, os.path.join(where, "sneppp.h"))
   used = used_functions(where)
   for per_line in changes.values():
      for line in [line for line, cs in per_line.items() if cs[0].function not in used]: del per_line[line]
   wanted, streams = draw(changes)
   if "--lines" in sys.argv: # what could be drawn
      for f in wanted: print("%-8s %5d lines, %6d changes, %3d drawn" % (f, len(changes[f]), len(streams[f]), wanted[f]))
      return 0
   if "--show" in sys.argv:
      floor, k = sys.argv[sys.argv.index("--show") + 1].split(".")
      print_change(text, streams[floor][int(k) - 1])
      return 0
   reasons = read_list()
   noticed_path = os.path.join(OUT, "noticed.json")
   noticed = {} # key of a change -> test, and how it was found: tried first
   if os.path.exists(noticed_path) and not FRESH: noticed = json.load(open(noticed_path))
   lock, good, stop = threading.Lock(), set(), []
   began = time.time()
   for f in ("runner.o", "main.o"):
      if os.path.exists(os.path.join(where, f)): os.remove(os.path.join(where, f))
   chosen, refused = choose(text, wanted, streams, where)
   program, sanitized = os.path.join(where, "tests.out"), os.path.join(where, "sanitized.out")
   bad = build(where, CC, ["-O1"], program)
   if bad: sys.exit("mutate: the tests do not compile\n" + bad[:2000])
   measured = Measured(program, os.path.join(where, "sneppp.h"))

   def sound(test): # A change is blamed only for what the unchanged header does not do here.
      with lock:
         if test in good: return
      how, _ = run_test(program, test, 600)
      if how:
         stop.append("%s %s without any change" % (test, how))
         raise SystemExit # of this thread
      with lock: good.add(test)

   def attempt(c, program, tests, slower, is_sanitized=False):
      for seconds, test in tests:
         how, _ = run_test(program, test, 5 + 5 * slower * seconds, dict(os.environ, MUTANT=str(c.number)), is_sanitized)
         if how and how != "is not there":
            sound(test)
            return "%s %s" % (test, how)
      return ""

   def again(c, program, tests, slower, hows): # the test that noticed it last time
      test, how = noticed.get(c.key, ("", ""))
      if how in hows: c.by, c.how = attempt(c, program, [p for p in tests if p[1] == test], slower, how == "sanitizer"), how
      return c.by

   def over_all(changes, judge):
      queue = list(reversed(changes))
      def work(index):
         while not stop:
            with lock:
               if not queue: return
               c = queue.pop()
            judge(c)
            with lock:
               if c.by: noticed[c.key] = [c.by.split()[0], c.how]
               json.dump(noticed, open(noticed_path + ".new", "w"))
               os.replace(noticed_path + ".new", noticed_path)
               print("%3d %-11s %s:%d  %s -> %s  %s" % (c.number, c.name, c.function, c.line, squeeze(c.old)[:60], squeeze(c.new)[:64] or "nothing",
                     "noticed by " + c.by + (" (%s)" % c.how if c.how != "own" else "") if c.by else
                     "UNNOTICED" + ("" if c.reach else ", no test runs it")), flush=True)
      in_parallel(work)
      if stop: sys.exit("mutate: " + stop[0])

   def plainly(c):
      own, others = measured.that_run(c)
      c.reach = len(own) + len(others)
      if again(c, program, own + others, 1, ("own", "others")): return
      c.by, c.how = attempt(c, program, own, 1), "own"
      if not c.by: c.by, c.how = attempt(c, program, split(others, OTHERS)[0], 1), "others"

   def sanitizers(c): # loops without vectors no test came by: any of the floor's own may
      own, others = measured.that_run(c)
      if not own + others: own = measured.of_floor(c.floor)
      if again(c, sanitized, own + others, 20, ("sanitizer",)): return
      c.by, c.how = attempt(c, sanitized, split(own + others, OTHERS / 8)[0], 20, True), "sanitizer"

   if "--try" in sys.argv: chosen = [c for c in chosen if c.name in sys.argv]
   over_all(chosen, plainly)
   rest = [c for c in chosen if not c.by]
   if rest:
      print("mutate: %d once more in plain C under the sanitizers" % len(rest), flush=True)
      bad = build(where, CC, ["-O1", "-DSNEPPP_NO_SIMD", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"], sanitized)
      if bad: sys.exit("mutate: the tests do not compile with sanitizers\n" + bad[:2000])
      over_all(rest, sanitizers)
   return report(text, wanted, chosen, refused, reasons, time.time() - began)


def choose(text, wanted, streams, where):
   """The first changes of each floor's stream that compile, numbered; leaves the header with all of them in `where`."""
   refused, taken = set(), {}
   while True:
      chosen = []
      for f in wanted:
         fit = [c for c in streams[f] if c not in refused][:wanted[f]]
         for c in fit: c.name = "%s.%d" % (f, streams[f].index(c) + 1)
         chosen += fit
      # By turns over the floors, so that a run that is cut short has seen all of them.
      rank = {f: 0 for f in wanted}
      for c in chosen:
         c.turn = (rank[c.floor] + 0.5) / wanted[c.floor]
         rank[c.floor] += 1
      chosen.sort(key=lambda c: c.turn)
      for k, c in enumerate(chosen): c.number = k + 1
      woven, lines = weave(text, chosen)
      with open(os.path.join(where, "sneppp.h"), "w", encoding="utf-8") as f: f.write(woven)
      said = subprocess.run([CC, "-w", "-std=c99", "-DSNEPPP_PTHREADS", "-DSNEPPP_IMPLEMENTATION", "-fsyntax-only", "-x", "c", os.path.join(where, "sneppp.h")] +
                            (["-fmax-errors=0"] if CC.endswith("gcc") else []), capture_output=True, text=True, errors="replace").stderr
      if not said: return chosen, {f: sum(c.floor == f for c in refused) for f in wanted}
      wrong = {int(n) for n in re.findall(r"sneppp\.h:(\d+):\d+: (?:error|note: in expansion)", said)}
      culprits = [c for c in chosen if any(lines[c][0] <= n <= lines[c][1] for n in wrong)]
      if not culprits: sys.exit("mutate: the header with its changes does not compile\n" + said[:2000])
      refused |= set(culprits)


def print_change(text, c):
   a, b = before_after(text, c)
   print("%s %s:%d (%s)\n%s\n- %s\n+ %s" % (c.name, c.floor, c.line, c.what, c.function, a, b))


def report(text, wanted, done, refused, reasons, seconds):
   print("\n%-9s %7s %5s %7s %9s %10s %9s %8s" % ("floor", "changes", "own", "others", "sanitizer", "equivalent", "unnoticed", "noticed"))
   rest, sums = [], [0] * 6
   for f in wanted:
      mine = [c for c in done if c.floor == f]
      count = [len(mine)] + [sum(c.how == h and bool(c.by) for c in mine) for h in ("own", "others", "sanitizer")] + [0, 0]
      for c in mine:
         if c.by: continue
         c.why = reasons.get((c.function,) + before_after(text, c), "")
         count[4 if c.why.startswith("equivalent") else 5] += 1
         rest.append(c)
      sums = [x + y for x, y in zip(sums, count)]
      print("%-9s %7d %5d %7d %9d %10d %9d %6.1f %%" % ((f,) + tuple(count) + (100.0 * sum(count[1:4]) / max(1, count[0]),)))
   share = 100.0 * sum(sums[1:4]) / max(1, sums[0])
   print("%-9s %7d %5d %7d %9d %10d %9d %6.1f %%" % (("all",) + tuple(sums) + (share,)))
   real = sums[0] - sums[4]
   print("%d changes did not compile and were replaced; %.0f s" % (sum(refused.values()), seconds))
   if rest: print("\nUnnoticed:")
   for c in sorted(rest, key=lambda c: c.line):
      print_change(text, c)
      print("   " + (c.why or "why? mend the tests, or say so in tests/mutants.txt"))
   share_real = 100.0 * sum(sums[1:4]) / max(1, real)
   print("%d of %d changes noticed, %.1f %%. %d of the others are equivalent, says tests/mutants.txt: %.1f %% of the %d that are not; "
         "the bar is %.0f %%" % (sum(sums[1:4]), sums[0], share, sums[4], share_real, real, BAR))
   return 0 if share_real >= BAR else 1


if __name__ == "__main__":
   os.chdir(TOP)
   sys.exit(main())
