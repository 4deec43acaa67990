// Source that imported the older package needs one import, and finds there what the deprecation
// messages name. Where both modules have a name, the one of this module is meant.
@_exported public import KeyValueStorage
@_exported public import SecretStorage
@_exported public import SerializedAccess
