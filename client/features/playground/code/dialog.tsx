/** The conversation as a call that a program can make. */
import { createMemo, createSignal, For } from 'solid-js'
import { Dialog } from '#client/ui/dialog.tsx'
import { remember, remembered } from '#client/ui/memory.ts'
import type { Bench } from '../bench.ts'
import { CodeBlock } from '../markdown/code-block.tsx'
import { buildBody } from '../reply/body.ts'
import { say } from '../words.ts'
import { languages, type SnippetLanguage, snippet } from './snippets.ts'

const names: Record<SnippetLanguage, { label: string; highlight: string }> = {
  curl: { label: 'curl', highlight: 'bash' },
  python: { label: 'Python', highlight: 'python' },
  typescript: { label: 'TypeScript', highlight: 'typescript' },
}

export function CodeDialog(props: { bench: Bench; draft: string; onClose(): void }) {
  const { desk } = props.bench
  const stored = languages.find((one) => one === remembered('snippet'))
  const [language, setLanguage] = createSignal<SnippetLanguage>(stored ?? 'curl')
  const code = createMemo(() => {
    const of = desk.asked()
    if (of === null) return say('noModel')
    const path = desk.path()
    const last = path.at(-1)
    // A program asks: after a reply it needs the next question.
    const asks = last?.role === 'user' || last?.role === 'tool'
    const next = { id: '', conversation: '', parent: null, at: 0, role: 'user' as const, text: props.draft || say('yourMessage') }
    try {
      const body = buildBody(of, desk.conversation().settings, asks ? path : [...path, next], desk.catalogue.model(of.group, of.model))
      return snippet(language(), body, location.origin)
    } catch {
      return say('failSettingsDetail')
    }
  })
  return (
    <Dialog title={say('viewCode')} intro={say('viewCodeIntro')} wide onClose={props.onClose}>
      <fieldset class="seg mb-3 w-fit max-w-full" aria-label={say('language')}>
        <For each={languages}>
          {(name) => (
            <button
              type="button"
              aria-pressed={language() === name}
              onClick={() => {
                setLanguage(name)
                remember('snippet', name)
              }}
            >
              {names[name].label}
            </button>
          )}
        </For>
      </fieldset>
      <div class="max-h-[60dvh] overflow-auto" data-snippet={language()}>
        <CodeBlock language={names[language()].highlight} code={code()} open={false} />
      </div>
    </Dialog>
  )
}
