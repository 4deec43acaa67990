// Source code of the older package needs only one import to find the names in the deprecation
// messages. If both modules have a name, that of this module takes precedence.
@_exported public import KeyValueStorage
@_exported public import SecretStorage
@_exported public import SerializedAccess
