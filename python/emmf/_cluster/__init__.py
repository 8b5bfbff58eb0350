"""Fits of samples that workers of a cluster hold.

``worker`` is what runs on the workers, ``driver`` sends the orders of the library to them and gathers the answers,
``sources`` says where samples come from and ``readers`` reads them from files, ``estimators`` are what users see. None
of them knows an engine: that is ``emmf.dask`` or ``emmf.ray``, which give the driver an
:class:`~emmf._cluster.driver.Engine`.
"""
