// Code written for the older package can use the names in the deprecation messages without another
// import. If two modules declare the same name, the declaration in this module takes precedence.
@_exported public import KeyValueStorage
@_exported public import SecretStorage
@_exported public import SerializedAccess
