// States of the Reset and Activity panels that are reached by doing something.

/** Opens, does, checks, draws. */
export async function resetActs({ open, go, settle, measure, contrast, names, keyboard, shoot, layouts, themes }) {
  for (const theme of themes) {
    for (const layout of layouts) {
      const act = async (scenario, panel, name, does) => {
        const { page, where, close } = await open(scenario, layout, theme);
        await go(page, panel);
        await does(page);
        await page.waitForTimeout(40);
        await settle(page);
        await shoot(page, `act-${panel}-${name}-${layout.name}-${theme}`);
        await measure(page, `${where} ${name}`);
        await contrast(page, `${where} ${name}`);
        await names(page, `${where} ${name}`);
        if (theme === 'light') await keyboard(page, `${where} ${name}`);
        await close();
      };
      const press = (page, name) => page.getByRole('button', { name }).first().click();

      await act('fine', 'reset', 'anyway', (page) => page.getByRole('radio', { name: /^System disk/ }).click());
      await act('low', 'reset', 'changed', async (page) => {
        await page.evaluate(() => (window.backend.acting.refuse = 'Something changed since the preview: sessiondata.img has grown by 12 MB. Look at it again.'));
        await press(page, 'Quit Claude and reset the session disk');
        await page.getByRole('alert').waitFor();
      });
      await act('parkedMany', 'activity', 'restore', (page) => press(page, /^Restore/));
      await act('parkedMany', 'activity', 'discard', (page) => press(page, /^Discard/));
      await act('parkedMany', 'activity', 'for-good', async (page) => {
        await press(page, /^Discard/);
        await page.getByText('For good', { exact: true }).click();
        await page.getByRole('checkbox').click();
      });
      await act('parkedMany', 'activity', 'unverified', (page) => page.getByRole('button', { name: /^Discard/ }).nth(1).click());
      if (layout !== layouts[0]) continue;
      await act('parkedMany', 'activity', 'receipt', async (page) => {
        await page.locator('details:has(.outcome)').first().locator('summary').click();
        await page.locator('details:has(.outcome)').first().scrollIntoViewIfNeeded();
      });
      await act('ready', 'reset', 'undo', (page) => press(page, 'Undo…'));
      await act('parkedOne', 'activity', 'rescue', (page) => press(page, /^Rescue/));
    }
  }
}
