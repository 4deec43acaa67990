import FoundationEssentials
import TestSupport

/// A Secret Service in Python, whose answers a test can replace.
///
/// A program defines `answer(member, path, body)`, which returns the signature and the content of
/// an answer, or `None` for no answer, or raises `Refused` with the name of an error. It can call
/// `honest`, which answers like a daemon with one unlocked keyring and without encryption.
final class FakeDaemon {
  private let process: ChildProcess
  private let log: String
  /// While this file exists, the program of a test may answer differently.
  let file: String

  init(on bus: TestBus, _ program: String, _ arguments: [String] = []) throws {
    log = bus.directory("fake")
    file = bus.directory("switch")
    process = try bus.start(
      "exec \(PythonKeyring.path) -c \"$@\" 2>&1", [Self.program, program, file] + arguments,
      output: "fake")
    try wait { try calls.contains("ready") || process.hasEnded }
    if process.hasEnded { throw Ended(output: try calls) }
  }

  struct Ended: Error {
    let output: [String]
  }

  /// The members that were called.
  var calls: [String] {
    get throws {
      guard FileManager.default.fileExists(atPath: log) else { return [] }
      return String(decoding: try content(of: log), as: UTF8.self).split(separator: "\n")
        .map(String.init)
    }
  }

  var hasEnded: Bool { process.hasEnded }

  func makeFile() throws { try Data().write(to: URL(filePath: file)) }
  func removeFile() throws { try FileManager.default.removeItem(atPath: file) }

  private static let program = #"""
    import os, random, sys
    from jeepney import *
    from jeepney.io.blocking import open_dbus_connection

    SERVICE = '/org/freedesktop/secrets'
    COLLECTION = SERVICE + '/collection/login'
    SESSION = SERVICE + '/session/1'
    PROMPT = SERVICE + '/prompt/1'
    connection = open_dbus_connection()
    items = {}

    class Refused(Exception): pass

    def isSwitchedOn(): return os.path.exists(sys.argv[2])

    def signal(path, interface, member, signature, body):
      address = DBusAddress(path, interface='org.freedesktop.Secret.' + interface)
      connection.send(new_signal(address, member, signature, body))

    def honest(member, path, body):
      item = items.get(path)
      if member == 'OpenSession':
        if body[0] != 'plain': raise Refused('org.freedesktop.DBus.Error.NotSupported')
        return 'vo', (('s', ''), SESSION)
      if member == 'ReadAlias': return 'o', (COLLECTION,)
      if member in ('Ping', 'Prompt', 'Dismiss'): return '', ()
      if member == 'SearchItems':
        found = [p for p, i in items.items() if body[0].items() <= i['attributes'].items()]
        return 'aoao', (found, [])
      if member == 'CreateItem':
        new = '%s/%d' % (COLLECTION, len(items) + 1)
        properties = {n.split('.')[-1].lower(): v[1] for n, v in body[0].items()}
        items[new] = dict(properties, secret=body[1][2])
        return 'oo', (new, '/')
      if member in ('Lock', 'Unlock'): return 'aoo', (body[0], '/')
      if member == 'Get' and body[1] == 'Collections': return 'v', (('ao', [COLLECTION]),)
      if member == 'Get' and body[1] == 'Locked': return 'v', (('b', False),)
      if path == COLLECTION: return 'v', (('s', 'Login'),)
      if item is None: raise Refused('org.freedesktop.DBus.Error.UnknownObject')
      if member == 'Get':
        kind = {'Attributes': 'a{ss}', 'Label': 's'}.get(body[1], 't')
        return 'v', ((kind, item.get(body[1].lower(), 1)),)
      if member == 'Set':
        item[body[1].lower()] = body[2][1]
        return '', ()
      if member == 'SetSecret':
        item['secret'] = body[0][2]
        return '', ()
      if member == 'GetSecret':
        return '(oayays)', ((SESSION, b'', item['secret'], 'text/plain'),)
      if member == 'Delete':
        del items[path]
        return 'o', ('/',)
      raise Refused('org.freedesktop.DBus.Error.UnknownMethod')

    answer = honest
    exec(sys.argv[1])
    connection.send_and_get_reply(message_bus.RequestName('org.freedesktop.secrets'))
    print('ready', flush=True)
    while True:
      call = connection.receive()
      if call.header.message_type != MessageType.method_call: continue
      fields = call.header.fields
      member = fields[HeaderFields.member]
      print(member, flush=True)
      try:
        reply = answer(member, fields[HeaderFields.path], call.body)
        if reply: connection.send(new_method_return(call, *reply))
      except Refused as error:
        connection.send(new_error(call, error.args[0], 's', (error.args[-1],)))
    """#
}
