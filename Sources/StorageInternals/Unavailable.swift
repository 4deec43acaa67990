/// The reason, in sentences, why a part of the system cannot be used.
package struct Unavailable: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }

  package static func missing(_ symbol: String, in library: DynamicLibrary) -> Unavailable {
    Unavailable(
      """
      The C library \(library.name) has no symbol \(symbol). \
      Install a version of the library that has it.
      """)
  }
}
