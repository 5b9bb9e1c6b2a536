/** One scalar of the file as a value: decimals from their text, `${NAME}` from the environment, nothing unstorable. */
import type { Scalar } from 'yaml'

export type Environment = Readonly<Record<string, string | undefined>>

export interface ScalarContext {
  text: string
  env: Environment
  /** Reports a problem at an offset of the text. */
  complain(offset: number, message: string): undefined
}

const decimal = /^(0|[1-9]\d{0,12})(\.\d{1,9})?$/
const decimalWanted = 'Expected an amount as a plain decimal number with up to 9 places, such as 0.5: no sign, no exponent, no separators'
const variable = /^[A-Za-z_][A-Za-z0-9_]*$/

export const startOf = (node: Scalar): number => node.range?.[0] ?? 0

/** The database keeps no NUL and no half surrogates. */
export const storable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Undefined when something is wrong with it, which has then been reported. */
export function readScalar(node: Scalar, context: ScalarContext): unknown {
  const { value } = node
  if (typeof value === 'string') return readText(value, node, context)
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value
  return context.complain(startOf(node), 'Expected another kind of value')
}

/** A decimal number as text, exactly as it was written; quotes are allowed. */
export function readDecimal(node: Scalar, context: ScalarContext): string | undefined {
  const text = typeof node.value === 'string' ? readText(node.value, node, context) : (node.source ?? '')
  if (text === undefined || decimal.test(text)) return text
  return context.complain(startOf(node), decimalWanted)
}

/** What comes out of the environment is not looked at again. */
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

const unnamed = 'Expected the name of an environment variable between dollar-brace and brace'
