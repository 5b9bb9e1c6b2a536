/** parley.yaml at start: found, read, applied. */
import { applyDeclaration, type Declared } from '#declare/apply'
import { readDeclaration } from '#declare/declaration'
import { readIfThere } from '#runtime/kept-file'

const usual = './parley.yaml'

/** Resolves to warnings, one line each. Throws with one clear line when the named file is missing or the file is wrong. */
export async function applyConfigFile(file: string | undefined, env: Record<string, string | undefined>, to: Declared): Promise<string[]> {
  const text = await readIfThere(file ?? usual)
  if (text === undefined && file !== undefined) throw new Error(`PARLEY_CONFIG names a file that is not there: ${file}`)
  return text === undefined ? [] : applyDeclaration(readDeclaration(text, env), to)
}
