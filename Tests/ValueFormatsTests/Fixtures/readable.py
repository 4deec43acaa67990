# Compares values of a settings file, as Python's own types read them, with those that the file also
# has as text: `PATH FORMAT`. The dates are compared to the microsecond.
import datetime, json, math, plistlib, struct, sys, xml.etree.ElementTree
from decimal import Decimal
from fractions import Fraction

def from_xml(element):
  children = list(element)
  if element.tag == 'plist': return from_xml(children[0])
  if element.tag == 'dict':
    return {key.text: from_xml(value) for key, value in zip(children[::2], children[1::2])}
  if element.tag == 'array': return list(map(from_xml, children))
  return Decimal(element.text) if element.tag in ('integer', 'real') else element.text

def load(path, format):
  with open(path, 'rb') as file:
    if format == 'json': return json.load(file, parse_int=Decimal, parse_float=Decimal)
    if format == 'xml': return from_xml(xml.etree.ElementTree.parse(file).getroot())
    return plistlib.load(file)

def number(value):
  # A binary property list has all digits of a `float`, or text.
  return Decimal(repr(value) if isinstance(value, float) else value)

def microseconds(date):
  if isinstance(date, str): date = datetime.datetime.fromisoformat(date)
  reference = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)
  return (date - reference) // datetime.timedelta(microseconds=1)

values = load(*sys.argv[1:])
for decimal, digits in zip(values['decimals'], values['digits'], strict=True):
  if number(decimal) != Decimal(digits): print('decimal', decimal, digits)
for duration, count in zip(values['durations'], values['attoseconds'], strict=True):
  if Fraction(number(duration)) * 10 ** 18 != int(count): print('duration', duration, count)
if sys.argv[2] != 'binary':
  for date, bits in zip(values['dates'], values['bits'], strict=True):
    # The shortest digits of the same number.
    seconds = repr(struct.unpack('>d', bytes.fromhex(bits))[0])
    if microseconds(date) != math.floor(Fraction(seconds) * 10 ** 6): print('date', date, seconds)
print(len(values['dates']), len(values['decimals']), len(values['durations']))
