// What is drawn on the canvas of a plane: its frame, points, and the numbers of centroids.

// The lines and numbers around the field.
const drawFrame = (pen, field, ink, axis) => {
  pen.strokeStyle = ink.line;
  pen.strokeRect(field.left, field.top, field.right - field.left, field.bottom - field.top);
  if (!axis) return;
  pen.fillStyle = ink.faint;
  pen.font = "11px system-ui, sans-serif";
  pen.textAlign = "center";
  for (const tick of ticks(axis.x[0], axis.x[1], 5)) pen.fillText(number(tick, 2), axis.across(tick), field.bottom + 13);
  pen.fillText(axis.names[0], (field.left + field.right) / 2, field.bottom + 27);
  pen.textAlign = "right";
  for (const tick of ticks(axis.y[0], axis.y[1], 5)) pen.fillText(number(tick, 2), field.left - 4, axis.up(tick) + 4);
  pen.save();
  pen.translate(10, (field.top + field.bottom) / 2);
  pen.rotate(-Math.PI / 2);
  pen.textAlign = "center";
  pen.fillText(axis.names[1], 0, 0);
  pen.restore();
};

const drawPoint = (pen, x, y, radius, cross) => {
  pen.beginPath();
  if (cross) {
    const r = radius + 1;
    pen.moveTo(x - r, y - r);
    pen.lineTo(x + r, y + r);
    pen.moveTo(x - r, y + r);
    pen.lineTo(x + r, y - r);
    pen.stroke();
  } else {
    pen.arc(x, y, radius, 0, 7);
    pen.fill();
  }
};

const drawCentroid = (pen, x, y, text, ink, faded) => {
  pen.globalAlpha = faded ? 0.25 : 1;
  pen.font = "bold 12px system-ui, sans-serif";
  pen.textAlign = "center";
  pen.lineJoin = "round";
  // A halo, so that points can be seen around the number and the number on points.
  pen.lineWidth = 4;
  pen.strokeStyle = ink.paper;
  pen.strokeText(text, x, y + 4);
  pen.fillStyle = ink.ink;
  pen.fillText(text, x, y + 4);
  pen.globalAlpha = 1;
};
