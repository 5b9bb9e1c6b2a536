import { createMemo, createUniqueId, Show } from 'solid-js'
import type { Settings } from '#client/features/playground/conversation/settings.ts'
import { type MessageKey, t } from '#client/features/playground/messages/messages.ts'
import { Button } from '#client/ui/button.tsx'
import { Icon } from '#client/ui/icon.tsx'
import { Menu } from '#client/ui/menu.tsx'
import { checkSchema, checkTools, exampleSchema, exampleTools, type JsonProblem } from './json-fields.ts'

const outputs = ['text', 'json', 'schema'] as const
const outputLabel: Record<Settings['output'], MessageKey> = { text: 'outputText', json: 'outputJson', schema: 'outputSchema' }
const problemLabel: Record<JsonProblem, MessageKey> = { json: 'notJson', list: 'toolsList', shape: 'toolsShape', object: 'schemaObject' }

/** Response format (text, JSON, a schema) and tool definitions, both checked where they are typed. */
export function ToolsAndOutput(props: { settings: Settings; onChange(patch: Partial<Settings>): void }) {
  return (
    <section class="sec">
      <div class="kv">
        <h3 class="text-[13px]/[20px]">{t('output')}</h3>
        <Menu
          label={t('outputIs', { output: t(outputLabel[props.settings.output]) })}
          triggerClass="sel -mr-2"
          trigger={
            <>
              <b>{t(outputLabel[props.settings.output])}</b>
              <Icon name="down" small />
            </>
          }
          items={() => [
            {
              kind: 'choice',
              label: t('output'),
              value: props.settings.output,
              options: outputs.map((value) => ({ value, label: t(outputLabel[value]) })),
              onChange: (value) => props.onChange({ output: outputs.find((one) => one === value) ?? 'text' }),
            },
          ]}
        />
      </div>
      <Show when={props.settings.output === 'schema'}>
        <JsonField
          label={t('schema')}
          value={props.settings.schema}
          example={exampleSchema}
          check={checkSchema}
          onChange={(schema) => props.onChange({ schema })}
        />
      </Show>
      <h3 class="mt-3 mb-1.5 text-[13px]/[20px]">{t('toolDefinitions')}</h3>
      <JsonField
        label={t('toolDefinitions')}
        value={props.settings.tools}
        example={exampleTools}
        check={checkTools}
        onChange={(tools) => props.onChange({ tools })}
      />
    </section>
  )
}

function JsonField(props: {
  label: string
  value: string
  example: string
  check(text: string): JsonProblem | undefined
  onChange(text: string): void
}) {
  const id = createUniqueId()
  const problem = createMemo(() => (props.value.trim() === '' ? undefined : props.check(props.value)))
  return (
    <div class="grid gap-1.5">
      <textarea
        class="in field-sizing-content max-h-[280px] min-h-[62px] font-mono text-[12px]!"
        spellcheck={false}
        aria-label={props.label}
        aria-invalid={problem() ? 'true' : undefined}
        aria-describedby={problem() ? id : undefined}
        placeholder={t('notSent')}
        value={props.value}
        onChange={(event) => props.onChange(event.currentTarget.value)}
      />
      <Show when={problem()} keyed>
        {(kind) => (
          <p class="wrong" id={id}>
            {t(problemLabel[kind])}
          </p>
        )}
      </Show>
      <Show when={props.value.trim() === ''}>
        <Button look="ghost" size="sm" class="-ml-2.5 justify-self-start" onClick={() => props.onChange(props.example)}>
          {t('insertExample')}
        </Button>
      </Show>
    </div>
  )
}
