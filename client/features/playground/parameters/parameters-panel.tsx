import { For, Show } from 'solid-js'
import { defaultSettings, sliderNames } from '#client/features/playground/conversation/settings.ts'
import { t } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { Button } from '#client/ui/button.tsx'
import { formatMoney } from '#client/ui/format.ts'
import { Panel, whileOpen } from '#client/ui/panel.tsx'
import { showToast } from '#client/ui/toast.tsx'
import { MoreParameters } from './more-parameters.tsx'
import { outputHold } from './output-hold.ts'
import { PaidBy } from './paid-by.tsx'
import { SliderRow } from './slider-row.tsx'
import { SystemPrompt } from './system-prompt.tsx'
import { ToolsAndOutput } from './tools-and-output.tsx'

/** The parameters of the conversation. Only what is switched on is sent. */
export function ParametersPanel(props: { page: PageContext; beside: boolean; open: boolean }) {
  const { playground, view } = props.page
  const isOpen = () => props.open
  const settings = whileOpen(isOpen, () => playground.conversation().settings)
  const model = whileOpen(isOpen, () => {
    const asked = playground.target()
    return asked ? playground.catalogue.model(asked.group, asked.model) : undefined
  })
  const ratio = whileOpen(isOpen, () => {
    const listed = playground.catalogue.groups()
    return listed.state === 'ready' ? (listed.rows.find((row) => row.name === playground.target()?.group)?.ratio ?? '1') : '1'
  })
  const hold = () => (settings().maxTokens.on ? outputHold(model(), settings().maxTokens.value, ratio()) : undefined)
  const resetAll = () => {
    const { id } = playground.conversation()
    const before = settings()
    playground.setSettings({ ...defaultSettings(), system: before.system })
    const undo = () => playground.conversation().id === id && playground.setSettings(before)
    showToast(t('resetDone'), { label: t('undo'), run: undo })
  }
  return (
    <Panel
      open={props.open}
      title={t('parameters')}
      closeLabel={t('closeParameters')}
      beside={props.beside}
      takesFocus={view.panelOpenedByUser()}
      onClose={() => view.setPanel(null)}
      tools={
        <Button look="ghost" size="sm" onClick={resetAll}>
          {t('resetAll')}
        </Button>
      }
    >
      <div class="panel-body">
        <section class="sec">
          <p class="hint mb-2">{t('onlySwitchedOn')}</p>
          <For each={sliderNames}>
            {(name) => (
              <SliderRow
                name={name}
                value={settings()[name]}
                model={model()}
                note={name === 'maxTokens' ? hold() && t('setsHold', { hold: formatMoney(hold() ?? '0') }) : undefined}
                onChange={(value) => playground.setSettings({ [name]: value })}
              />
            )}
          </For>
        </section>
        <SystemPrompt
          value={settings().system}
          onChange={(system) => playground.setSettings({ system })}
          onTemplates={() => view.setDialog('templates')}
        />
        <PaidBy team={settings().team} onChange={(team) => playground.setSettings({ team })} />
        <MoreParameters settings={settings()} onChange={(patch) => playground.setSettings(patch)} />
        <ToolsAndOutput settings={settings()} onChange={(patch) => playground.setSettings(patch)} />
        <Show when={!playground.library.durable}>
          <p class="sec hint">{t('notKept')}</p>
        </Show>
      </div>
    </Panel>
  )
}
