/** Everything that shapes a request. Only what is switched on is sent. */
import { createMemo, For, Show } from 'solid-js'
import { defaultSettings, sliderNames } from '#client/features/playground/conversation/settings.ts'
import { say } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { Button } from '#client/ui/button.tsx'
import { formatMoney } from '#client/ui/format.ts'
import { Panel } from '#client/ui/panel.tsx'
import { MoreParameters } from './more-parameters.tsx'
import { outputHold } from './output-hold.ts'
import { SliderRow } from './slider-row.tsx'
import { SystemPrompt } from './system-prompt.tsx'
import { ToolsAndOutput } from './tools-and-output.tsx'

export function ParametersPanel(props: { bench: PageContext; beside: boolean }) {
  const { desk, view } = props.bench
  const settings = () => desk.conversation().settings
  const model = createMemo(() => {
    const asked = desk.target()
    return asked ? desk.catalogue.model(asked.group, asked.model) : undefined
  })
  const ratio = () => {
    const listed = desk.catalogue.groups()
    return listed.state === 'ready' ? (listed.rows.find((row) => row.name === desk.target()?.group)?.ratio ?? '1') : '1'
  }
  const hold = () => (settings().maxTokens.on ? outputHold(model(), settings().maxTokens.value, ratio()) : undefined)
  return (
    <Panel
      title={say('parameters')}
      closeLabel={say('closeParameters')}
      beside={props.beside}
      takesFocus={view.panelOpenedByUser()}
      onClose={() => view.setPanel(null)}
      tools={
        <Button look="ghost" size="sm" onClick={() => desk.setSettings({ ...defaultSettings(), system: settings().system })}>
          {say('resetAll')}
        </Button>
      }
    >
      <div class="panel-body">
        <section class="sec">
          <p class="hint mb-2">{say('onlySwitchedOn')}</p>
          <For each={sliderNames}>
            {(name) => (
              <SliderRow
                name={name}
                value={settings()[name]}
                model={model()}
                note={name === 'maxTokens' ? hold() && say('setsHold', { hold: formatMoney(hold() ?? '0') }) : undefined}
                onChange={(value) => desk.setSettings({ [name]: value })}
              />
            )}
          </For>
        </section>
        <SystemPrompt
          value={settings().system}
          onChange={(system) => desk.setSettings({ system })}
          onTemplates={() => view.setDialog('templates')}
        />
        <MoreParameters settings={settings()} onChange={(patch) => desk.setSettings(patch)} />
        <ToolsAndOutput settings={settings()} onChange={(patch) => desk.setSettings(patch)} />
        <Show when={!desk.library.durable}>
          <p class="sec hint">{say('notKept')}</p>
        </Show>
      </div>
    </Panel>
  )
}
