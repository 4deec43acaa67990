/// The limits of all formats.
package enum FormatLimits {
  /// The maximum depth of nested arrays and dictionaries, including the root.
  ///
  /// Reading and writing use the thread's stack in proportion to the depth.
  package static let depth = 512

  /// The maximum size of a file in bytes; a larger file is damaged or was not written by a store.
  package static let fileSize = 64 << 20
}
