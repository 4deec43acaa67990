import CLibrary

/// The identity of a running thread, which a later thread may reuse.
@safe package struct ThreadIdentity: Hashable, @unchecked Sendable {
  // `@unchecked`: in some C libraries, this is a pointer, which is only compared.
  private let thread = pthread_self()

  package static var current: ThreadIdentity { ThreadIdentity() }
}
