/** Runs a call of an SDK, and prints the request that it sends. */
export function call(index: number, send: () => unknown): Promise<void>;
/** Ends the program, although SDKs may have timers. */
export function finish(): never;
/** A value whose type the SDK does not know. */
export function untyped(value: unknown): never;
/** An element of a list of GraphQL, or an object that can be null. It is only compiled. */
export function item<Type>(
    value: Type,
): NonNullable<Type> extends ReadonlyArray<infer Item> ? NonNullable<Item> : NonNullable<Type>;
/** A value of a type of the SDK. It is only compiled. */
export function check<Type>(value: Type): void;
/** The fields that a type names, without the index signature that allows all others. */
export type Known<Type> = {
    [Name in keyof Type as string extends Name ? never : number extends Name ? never : Name]: Type[Name];
};
