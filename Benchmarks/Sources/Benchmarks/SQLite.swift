import FoundationEssentials
import Glibc

/// The system's SQLite with its durable settings: a write-ahead log, flushed at each commit.
enum SQLite {
  private typealias Open =
    @convention(c) (UnsafePointer<CChar>?, UnsafeMutablePointer<OpaquePointer?>?) -> Int32
  private typealias Execute =
    @convention(c) (
      OpaquePointer?, UnsafePointer<CChar>?, OpaquePointer?, OpaquePointer?, OpaquePointer?
    ) -> Int32
  private typealias Prepare =
    @convention(c) (
      OpaquePointer?, UnsafePointer<CChar>?, Int32, UnsafeMutablePointer<OpaquePointer?>?,
      OpaquePointer?
    ) -> Int32
  private typealias Run = @convention(c) (OpaquePointer?) -> Int32
  private typealias Text = @convention(c) (OpaquePointer?, Int32) -> UnsafePointer<CChar>?

  /// Creates a database of 1,000 settings, with values of 32 characters.
  private static let table = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT);
    WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 999)
      INSERT INTO settings SELECT 'key ' || n, hex(randomblob(16)) FROM numbers;
    """

  static func select() -> Workload {
    workload("SQLite select", "SELECT value FROM settings WHERE key = 'key 500'")
  }

  static func upsert() -> Workload {
    workload(
      "SQLite upsert",
      """
      INSERT INTO settings VALUES ('key 500', hex(randomblob(16)))
        ON CONFLICT (key) DO UPDATE SET value = excluded.value
      """)
  }

  /// Runs one prepared statement on a database of its own.
  private static func workload(_ name: String, _ sql: String) -> Workload {
    guard let library = dlopen("libsqlite3.so.0", RTLD_NOW) else {
      return .missing("\(name): libsqlite3-0 is not on this machine")
    }
    let open: Open = function("sqlite3_open", library)
    let execute: Execute = function("sqlite3_exec", library)
    let prepare: Prepare = function("sqlite3_prepare_v2", library)
    let step: Run = function("sqlite3_step", library)
    let reset: Run = function("sqlite3_reset", library)
    let text: Text = function("sqlite3_column_text", library)

    let directory = temporaryDirectory()
    var database: OpaquePointer?
    var made: OpaquePointer?
    guard open(directory.appending(path: "database").path, &database) == 0,
      execute(database, table, nil, nil, nil) == 0, prepare(database, sql, -1, &made, nil) == 0
    else { fatalError("SQLite cannot make its database.") }
    // Used by one thread at a time.
    nonisolated(unsafe) let statement = made
    return Workload(name: name) { iterations in
      for _ in 0..<iterations {
        // 100 is a row.
        while step(statement) == 100 { keep(text(statement, 0).map { String(cString: $0) }) }
        if reset(statement) != 0 { fatalError("SQLite failed.") }
      }
    }
  }
}
