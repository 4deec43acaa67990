import CLibrary

/// A C library that is loaded at run time.
///
/// The library is never unloaded, because exit handlers may refer to its code.
@safe package struct DynamicLibrary: @unchecked Sendable {
  private let handle: UnsafeMutableRawPointer
  package let name: String

  /// Loads the first available library; `packages` contain it, by distribution.
  package init(anyOf names: [String], packages: [String: String]) throws(Unavailable) {
    var reasons: [String] = []
    for name in names {
      // `dlopen` runs the library's initializers, so the names must be constants in the source.
      if let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) {
        unsafe self.handle = handle
        self.name = name
        return
      }
      let reason = unsafe dlerror().map { unsafe String(cString: $0) }
      reasons.append(reason ?? "\(name): no reason given")
    }
    let advice = packages.sorted { $0.key < $1.key }
      .map { "\($0.value) (\($0.key))" }.joined(separator: ", ")
    throw Unavailable(
      """
      The C library \(names.joined(separator: " or ")) cannot be loaded: \
      \(reasons.joined(separator: "; ")).\
      \(advice.isEmpty ? "" : " Install the package that contains it: \(advice).")
      """)
  }

  /// Returns a function of the library; the caller guarantees that the type is correct.
  package func function<Function>(
    _ name: String, as type: Function.Type = Function.self
  ) throws(Unavailable) -> Function {
    guard let function = unsafe cFunction(name, in: handle, as: type) else {
      throw .missing(name, in: self)
    }
    return function
  }
}
