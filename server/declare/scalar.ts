/** Reads one scalar of the file: decimals from their text, `${NAME}` from the environment, nothing the database cannot store. */
import type { Scalar } from 'yaml'

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** What reading a scalar needs. */
export interface ScalarContext {
  text: string
  env: Environment
  /** Reports a problem at an offset of the text; returns undefined. */
  complain(offset: number, message: string): undefined
}

const decimal = /^(0|[1-9]\d{0,12})(\.\d{1,9})?$/
const decimalWanted = 'Expected an amount as a plain decimal number with up to 9 places, such as 0.5: no sign, no exponent, no separators'
const variable = /^[A-Za-z_][A-Za-z0-9_]*$/

/** The offset at which a scalar starts. */
export const startOf = (node: Scalar): number => node.range?.[0] ?? 0

/** The database stores neither NUL nor unpaired surrogates. */
export const storable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** The value of a scalar; undefined after a problem was reported. */
export function readScalar(node: Scalar, context: ScalarContext): unknown {
  const { value } = node
  if (typeof value === 'string') return readText(value, node, context)
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value
  return context.complain(startOf(node), 'Expected another kind of value')
}

/** A decimal number as text, exactly as written; quotes are allowed. */
export function readDecimal(node: Scalar, context: ScalarContext): string | undefined {
  const text = typeof node.value === 'string' ? readText(node.value, node, context) : (node.source ?? '')
  if (text === undefined || decimal.test(text)) return text
  return context.complain(startOf(node), decimalWanted)
}

/** Values from the environment are not expanded again. */
function readText(written: string, node: Scalar, { text, env, complain }: ScalarContext): string | undefined {
  let complete = true
  const full = written.replace(/\$\{([^}]*)(\}?)/g, (whole, name: string, close: string) => {
    const found = close && Object.hasOwn(env, name) ? env[name] : undefined
    if (found !== undefined) return found
    const within = text.slice(startOf(node), node.range?.[1]).indexOf(whole)
    const named = close && variable.test(name)
    complain(startOf(node) + Math.max(0, within), named ? `The environment variable ${name} is not set` : unnamed)
    complete = false
    return ''
  })
  if (!complete) return undefined
  return storable(full) ? full : complain(startOf(node), 'Expected text without NUL and broken characters')
}

const unnamed = 'Expected an environment variable name between the braces'
